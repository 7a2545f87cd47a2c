import { commands, type QuickPickItem, window } from "vscode";

import type { Status } from "./status";

/** An entry of the menu: a command, and when it is offered. */
interface Entry {
  readonly label: string;
  readonly command: string;
  readonly description?: string;
  readonly isOffered?: (status: Status) => boolean;
}

const ENTRIES: readonly Entry[] = [
  { label: "$(server-environment) Choose Provider or Model…", command: "chooseProvider" },
  { label: "$(clock) Choose Policy…", command: "choosePolicy", description: "when completions are asked for" },
  { label: "$(tools) Choose Repairs…", command: "chooseRepairs" },
  { label: "$(bell-slash) Snooze…", command: "snooze", isOffered: ({ snooze }) => snooze <= 0 },
  { label: "$(bell) End Snooze", command: "wake", isOffered: ({ snooze }) => snooze > 0 },
  { label: "$(code) Switch On or Off for This Language", command: "toggleLanguage" },
  { label: "$(comment-discussion) Ask Here Again with…", command: "askAgain" },
  { label: "$(beaker) Evaluate This File", command: "evaluate" },
  { label: "$(play) Replay a Tape…", command: "replayTape" },
  { label: "$(list-tree) Open the Results of a Run…", command: "openResults" },
  { label: "$(record) Record This Workspace…", command: "startRecording", isOffered: ({ recording }) => recording === "off" },
  { label: "$(record) Go On Recording", command: "startRecording", isOffered: ({ recording }) => recording === "paused" },
  { label: "$(debug-pause) Pause Recording", command: "pauseRecording", isOffered: ({ recording }) => recording === "on" },
  { label: "$(debug-stop) Stop Recording", command: "stopRecording", isOffered: ({ recording }) => recording !== "off" },
  { label: "$(play) Replay This Recording", command: "replayRecording" },
  { label: "$(trash) Delete This Recording…", command: "deleteRecording" },
  { label: "$(folder) Open the Folder of Tapes", command: "openTapes" },
  { label: "$(key) Store a Key…", command: "setKey" },
  { label: "$(trash) Delete a Stored Key…", command: "deleteKey" },
  { label: "$(book) Get Started", command: "walkthrough" },
  { label: "$(cloud-download) Install or Update Server…", command: "install", isOffered: ({ server }) => server.kind === "failed" },
  { label: "$(debug-restart) Restart Server", command: "restart" },
  { label: "$(output) Show Log", command: "showLog" },
];

/** The entries that make sense in a status. */
export function entriesFor(status: Status): readonly Entry[] {
  return ENTRIES.filter(({ isOffered }) => isOffered === undefined || isOffered(status));
}

/** Let the person choose what to do, and do it. */
export async function showMenu(status: Status): Promise<void> {
  const items: (QuickPickItem & Entry)[] = entriesFor(status).map((entry) => ({ ...entry }));
  const chosen = await window.showQuickPick(items, { title: "ghosttape", placeHolder: status.problem ?? status.model });
  if (chosen !== undefined) {
    await commands.executeCommand(`ghosttape.${chosen.command}`);
  }
}
