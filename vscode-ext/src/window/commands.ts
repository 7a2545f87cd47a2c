import { commands, type Disposable, type LogOutputChannel, ProcessExecution, type TextDocument, workspace } from "vscode";

import { pickPolicy, pickProvider, pickRepairs, deleteKey, storeKey } from "../providers/choosing";
import type { Keys } from "../providers/keys";
import type { Hints } from "../recording/hints";
import type { Recording } from "../recording/recording";
import type { StatusBar } from "../seeing/bar";
import { showMenu } from "../seeing/menu";
import { install } from "../setup/installing";
import { locate, remedyIn } from "../setup/location";
import { currentSurroundings } from "../setup/surroundings";
import type { Asking } from "../typing/asking";
import { typingCommands } from "../typing/commands";
import { DEFAULT_POLICY } from "../typing/policies/policy";
import { currentOptions } from "./starting";

const WALKTHROUGH = "ghosttape.ghosttape#start";

/** What the commands of a window act on. */
export interface CommandHost {
  readonly log: LogOutputChannel;
  readonly keys: Keys;
  readonly recording: Recording;
  readonly hints: Hints;
  readonly bar: StatusBar;
  readonly asking: Asking;
  restart(): Promise<void>;
  showSnooze(): void;
}

/** Register what the person can do with the server, its settings, the recording, and while typing. */
export function windowCommands(host: CommandHost): readonly Disposable[] {
  const { log, keys, recording, bar, hints } = host;
  const registered: Record<string, () => unknown> = {
    menu: () => showMenu(bar.status),
    walkthrough: () => commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false),
    restart: () => host.restart(),
    install: () => installServer(host),
    showLog: () => { log.show(); },
    chooseProvider: pickProvider,
    choosePolicy: pickPolicy,
    chooseRepairs: pickRepairs,
    setKey: () => storeKey(keys),
    deleteKey: () => deleteKey(keys),
    startRecording: () => recording.start(),
    pauseRecording: () => recording.pause(),
    stopRecording: () => recording.stop(),
    openTapes: () => recording.openFolder(),
    deleteRecording: () => recording.deleteTape(),
    replayRecording: () => recording.replay((tapes) => replayInTerminal(tapes, host)),
  };
  const ours = Object.entries(registered).map(([name, run]) => commands.registerCommand(`ghosttape.${name}`, run));
  const listener = {
    slept: () => { host.showSnooze(); },
    dismissed: (document: TextDocument) => { hints.dismissed(document); },
  };
  return [...ours, ...typingCommands(host.asking, listener, (reason, run) => hints.during(reason, run))];
}

/** Install or update the server, and start it. */
export async function installServer({ log, restart }: Pick<CommandHost, "log" | "restart">): Promise<void> {
  const surroundings = await currentSurroundings(log);
  await install(remedyIn(surroundings), surroundings, () => void restart());
}

/** Replay tapes as they were recorded: with the same provider, repairs and policy, and without tests. */
async function replayInTerminal(tapes: readonly string[], { log, keys }: CommandHost): Promise<ProcessExecution> {
  const policy = workspace.getConfiguration("ghosttape").get("policy", DEFAULT_POLICY);
  const options = currentOptions();
  const env = { ...(await keys.variables(options.provider["name"])) };
  const words = ["replay", ...tapes, "--policy", policy, "--no-tests", "--settings", JSON.stringify(options)];
  return new ProcessExecution(locate(await currentSurroundings(log)), words, { env });
}
