import { homedir } from "node:os";

import {
  commands,
  Disposable,
  type ExtensionContext,
  languages,
  type LogOutputChannel,
  ProcessExecution,
  type TextDocument,
  window,
  workspace,
} from "vscode";
import { DidChangeConfigurationNotification, ExecuteCommandRequest, State } from "vscode-languageclient/node";

import { addAskingAgain } from "./again/feature";
import { modelName } from "./providers/choices";
import { configuredProvider, deleteKey, pickPolicy, pickProvider, pickRepairs, storeKey } from "./providers/choosing";
import { Keys } from "./providers/keys";
import { canChangeTo, initializationOptions, type InitializationOptions, type ServerSettings } from "./providers/options";
import { Hints } from "./recording/hints";
import { Recording } from "./recording/recording";
import { Evaluating } from "./evaluating/feature";
import { Replaying } from "./replaying/feature";
import type { Scene } from "./replaying/scene";
import { addResults } from "./results/feature";
import type { MomentRecord } from "./results/records";
import { Turn } from "./results/turn";
import type { Execute } from "./results/view";
import { StatusBar } from "./seeing/bar";
import { showMenu } from "./seeing/menu";
import { furtherItems, originOf } from "./server/alternatives";
import { type ClientListener, clientOptions, GhostClient } from "./server/client";
import { refuseOthers } from "./server/others";
import { type Prepared, reasonOf, Supervisor } from "./server/supervisor";
import type { Remedy } from "./setup/errors";
import { install } from "./setup/installing";
import { locate } from "./setup/location";
import { report } from "./setup/reporting";
import { currentSurroundings } from "./setup/surroundings";
import { Asking, type Place } from "./typing/asking";
import { typingCommands } from "./typing/commands";
import { DOCUMENTS } from "./typing/languages";
import { configuredPolicy, watchOwnPolicies } from "./typing/policies/configured";
import { DEFAULT_POLICY, policyOf } from "./typing/policies/policy";

const MINUTE = 60_000;
const WALKTHROUGH = "ghosttape.ghosttape#start";

/** ghosttape in one window of the editor: its server, what the person sees of it, and what they can do. */
export class GhosttapeWindow {
  readonly #log: LogOutputChannel;
  readonly #keys: Keys;
  readonly #recording: Recording;
  readonly #hints: Hints;
  readonly #bar: StatusBar;
  readonly #asking: Asking;
  readonly #supervisor: Supervisor;
  readonly #evaluating: Evaluating;
  readonly #replaying: Replaying;
  #started: ServerSettings = { options: { provider: {} }, variables: {} };

  constructor(context: ExtensionContext, log: LogOutputChannel) {
    this.#log = log;
    this.#keys = new Keys(context.secrets);
    this.#recording = new Recording(context, () => this.restart());
    this.#hints = new Hints(() => this.#recordingClient());
    const { state } = this.#recording;
    this.#bar = new StatusBar({ server: { kind: "starting" }, model: "", recording: state, snooze: 0 });
    const server = {
      alternatives: (...place: Place) => furtherItems(this.#supervisor.client, ...place),
      origin: (...place: Place) => originOf(this.#supervisor.client, ...place),
    };
    const answered = (latency: number): void => { this.#answered(latency); };
    this.#asking = new Asking(policyOf(DEFAULT_POLICY), answered, server, this.#hints.reasonOf);
    this.#supervisor = new Supervisor({
      log,
      prepare: (listener) => this.#prepare(listener),
      show: (server) => {
        this.#bar.show({ server, problem: undefined, recording: this.#recording.state });
        void commands.executeCommand("setContext", "ghosttape.isRunning", server.kind === "running");
      },
      report: (error) => void report(error, log, (remedy) => void this.#install(remedy)),
      requestFailed: (problem) => {
        this.#bar.show({ problem });
      },
    });
    const execute: Execute = (...order) => this.#execute(...order);
    const { documents, results } = addResults(context, execute);
    const turn = new Turn();
    this.#evaluating = new Evaluating(context, execute, turn, results);
    this.#replaying = new Replaying(context, execute, turn, documents, results);
    addAskingAgain(context, execute, documents);
    context.subscriptions.push(this.#bar, this.#asking, this.#hints, ...this.#commands(), ...this.#events(context));
  }

  /** Start the server, or start it again, with the settings of this moment. */
  async restart(): Promise<void> {
    this.followPolicy();
    await this.#supervisor.restart();
  }

  async stop(): Promise<void> {
    await this.#supervisor.stop();
  }

  /** Use other settings of the provider and the repairs: a server that runs changes them, unless its environment must change too. */
  async reconfigure(): Promise<void> {
    try {
      const options = this.#options();
      const variables = await this.#keys.variables(options.provider["name"]);
      const client = this.#supervisor.client;
      if (client === undefined || !canChangeTo(this.#started, { options, variables })) {
        await this.restart();
        return;
      }
      await client.sendNotification(DidChangeConfigurationNotification.type, { settings: { ghosttape: options } });
      this.#bar.show({ model: modelName(options.provider), latency: undefined, problem: undefined });
    } catch (error) {
      void window.showErrorMessage(`ghosttape keeps its settings. ${reasonOf(error)}`);
    }
  }

  /** Follow the policy of the setting; one that is wrong is reported, and the last right one stays. */
  followPolicy(): void {
    try {
      this.#asking.follow(configuredPolicy());
    } catch (error) {
      this.#log.error(reasonOf(error));
      void window.showErrorMessage(reasonOf(error));
    }
  }

  async #prepare(listener: ClientListener): Promise<Prepared> {
    const { provider } = configuredProvider();
    const command = locate(await currentSurroundings(this.#log));
    const recordTo = this.#recording.nextSession();
    this.#hints.follow(recordTo !== undefined);
    const variables = await this.#keys.variables(provider["name"]);
    const env = { ...process.env, ...variables };
    const options = this.#options(recordTo);
    this.#started = { options, variables };
    this.#bar.show({ model: modelName(provider), latency: undefined });
    const start = { command, args: ["serve", "--stdio"], cwd: serverFolder(), env };
    const client = new GhostClient(start, { ...clientOptions(this.#log, options), middleware: this.#middleware(recordTo) }, listener);
    client.onNotification("ghosttape/moment", (record: MomentRecord) => { this.#evaluating.take(record, false); });
    client.onNotification("ghosttape/verdict", (record: MomentRecord) => { this.#evaluating.take(record, true); });
    client.onNotification("ghosttape/scene", (scene: Scene) => this.#replaying.take(scene));
    this.#log.info(`Starting ${command} serve --stdio${recordTo === undefined ? "" : `, recording to ${recordTo}`}`);
    return { client, command };
  }

  #options(recordTo?: string): InitializationOptions {
    const repairs: unknown = workspace.getConfiguration("ghosttape").get("repairs");
    return initializationOptions(configuredProvider().provider, { repairs, recordTo });
  }

  #middleware(recordTo: string | undefined): NonNullable<ReturnType<typeof clientOptions>["middleware"]> {
    const provideInlineCompletionItems = this.#asking.provide;
    const ours = { provideInlineCompletionItems, executeCommand: refuseOthers };
    return recordTo === undefined ? ours : { ...ours, didChange: this.#hints.didChange };
  }

  #recordingClient(): GhostClient | undefined {
    const client = this.#recording.state === "on" ? this.#supervisor.client : undefined;
    return client?.state === State.Running ? client : undefined;
  }

  /** Let the server carry out a command. */
  async #execute(...[command, argument, token]: Parameters<Execute>): Promise<unknown> {
    const client = this.#supervisor.client;
    if (client === undefined) {
      throw new Error("The ghosttape server does not run: see the status bar.");
    }
    return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }, token);
  }

  #answered(latency: number): void {
    this.#bar.show({ latency, problem: undefined });
  }

  #showSnooze(): void {
    const left = this.#asking.snooze.left(Date.now()) / MINUTE;
    this.#bar.show({ snooze: left });
  }

  #events(context: ExtensionContext): readonly Disposable[] {
    const restart = (): void => void this.restart();
    const ticking = setInterval(() => {
      this.#showSnooze();
    }, MINUTE / 4);
    return [
      new Disposable(() => {
        clearInterval(ticking);
      }),
      watchOwnPolicies(() => {
        this.followPolicy();
      }),
      context.secrets.onDidChange(restart),
      workspace.onDidGrantWorkspaceTrust(restart),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && languages.match(DOCUMENTS, document) > 0) {
          this.#supervisor.edited();
        }
      }),
    ];
  }

  #commands(): readonly Disposable[] {
    const registered: Record<string, () => unknown> = {
      menu: () => showMenu(this.#bar.status),
      walkthrough: () => commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false),
      restart: () => this.restart(),
      install: () => this.#install(this.#bar.status.server.kind === "failed" ? "install" : "update"),
      showLog: () => { this.#log.show(); },
      chooseProvider: pickProvider,
      choosePolicy: pickPolicy,
      chooseRepairs: pickRepairs,
      setKey: () => storeKey(this.#keys),
      deleteKey: () => deleteKey(this.#keys),
      startRecording: () => this.#recording.start(),
      pauseRecording: () => this.#recording.pause(),
      stopRecording: () => this.#recording.stop(),
      openTapes: () => this.#recording.openFolder(),
      deleteRecording: () => this.#recording.deleteTape(),
      replayRecording: () => this.#recording.replay((tape) => this.#replay(tape)),
    };
    const ours = Object.entries(registered).map(([name, run]) => commands.registerCommand(`ghosttape.${name}`, run));
    const listener = {
      slept: () => { this.#showSnooze(); },
      dismissed: (document: TextDocument) => { this.#hints.dismissed(document); },
    };
    return [...ours, ...typingCommands(this.#asking, listener, (reason, run) => this.#hints.during(reason, run))];
  }

  /** Replay a tape as it was recorded: with the same provider, repairs and policy, and without tests. */
  async #replay(tape: string): Promise<ProcessExecution> {
    const policy = workspace.getConfiguration("ghosttape").get("policy", DEFAULT_POLICY);
    const options = this.#options();
    const env = { ...(await this.#keys.variables(options.provider["name"])) };
    const words = ["replay", tape, "--policy", policy, "--no-tests", "--settings", JSON.stringify(options)];
    return new ProcessExecution(locate(await currentSurroundings(this.#log)), words, { env });
  }

  async #install(remedy: Remedy): Promise<void> {
    await install(remedy, await currentSurroundings(this.#log), () => void this.restart());
  }
}

/** Where the server runs, and so looks for ghosttape.toml: never in a folder that is not trusted. */
function serverFolder(): string {
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  return workspace.isTrusted && folder !== undefined ? folder.uri.fsPath : homedir();
}
