import { homedir } from "node:os";

import {
  commands,
  Disposable,
  type ExtensionContext,
  languages,
  type LogOutputChannel,
  ProcessExecution,
  window,
  workspace,
} from "vscode";
import { DidChangeConfigurationNotification, State } from "vscode-languageclient/node";

import { modelName } from "./providers/choices";
import { configuredProvider, deleteKey, pickPolicy, pickProvider, pickRepairs, storeKey } from "./providers/choosing";
import { Keys } from "./providers/keys";
import { canChangeTo, initializationOptions, type InitializationOptions, type ServerSettings } from "./providers/options";
import { sendReason, sendSelection } from "./recording/hints";
import { Recording } from "./recording/recording";
import { StatusBar } from "./seeing/bar";
import { showMenu } from "./seeing/menu";
import { furtherItems } from "./server/alternatives";
import { type ClientListener, clientOptions, GhostClient } from "./server/client";
import { type Prepared, reasonOf, Supervisor } from "./server/supervisor";
import type { Remedy } from "./setup/errors";
import { install } from "./setup/installing";
import { locate } from "./setup/location";
import { report } from "./setup/reporting";
import { currentSurroundings } from "./setup/surroundings";
import { Asking, configuredPolicy } from "./typing/asking";
import { typingCommands } from "./typing/commands";
import { DOCUMENTS } from "./typing/languages";
import { policyOf } from "./typing/policy";

const MINUTE = 60_000;

/** ghosttape in one window of the editor: its server, what the person sees of it, and what they can do. */
export class GhosttapeWindow {
  readonly #log: LogOutputChannel;
  readonly #keys: Keys;
  readonly #recording: Recording;
  readonly #bar: StatusBar;
  readonly #asking: Asking;
  readonly #supervisor: Supervisor;
  #started: ServerSettings = { options: { provider: {} }, variables: {} };

  constructor(context: ExtensionContext, log: LogOutputChannel) {
    this.#log = log;
    this.#keys = new Keys(context.secrets);
    this.#recording = new Recording(context, () => this.restart());
    const { state } = this.#recording;
    this.#bar = new StatusBar({ server: { kind: "starting" }, model: "", recording: state, snooze: 0 });
    this.#asking = new Asking(policyOf("vscode"), { answered: (latency) => { this.#answered(latency); } }, (...place) =>
      furtherItems(this.#supervisor.client, ...place),
    );
    this.#supervisor = new Supervisor({
      log,
      prepare: (listener) => this.#prepare(listener),
      show: (server) => {
        this.#bar.show({ server, problem: undefined, recording: this.#recording.state });
      },
      report: (error) => void report(error, log, (remedy) => void this.#install(remedy)),
      requestFailed: (problem) => {
        this.#bar.show({ problem });
      },
    });
    context.subscriptions.push(this.#bar, this.#asking, ...this.#commands(), ...this.#events(context));
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
    const variables = await this.#keys.variables(provider["name"]);
    const env = { ...process.env, ...variables };
    const options = this.#options(recordTo);
    this.#started = { options, variables };
    this.#bar.show({ model: modelName(provider), latency: undefined });
    const start = { command, args: ["serve", "--stdio"], cwd: serverFolder(), env };
    const client = new GhostClient(start, { ...clientOptions(this.#log, options), middleware: this.#middleware(recordTo) }, listener);
    this.#log.info(`Starting ${command} serve --stdio${recordTo === undefined ? "" : `, recording to ${recordTo}`}`);
    return { client, command };
  }

  #options(recordTo?: string): InitializationOptions {
    const repairs: unknown = workspace.getConfiguration("ghosttape").get("repairs");
    return initializationOptions(configuredProvider().provider, { repairs, recordTo });
  }

  #middleware(recordTo: string | undefined): NonNullable<ReturnType<typeof clientOptions>["middleware"]> {
    const provideInlineCompletionItems = this.#asking.provide;
    if (recordTo === undefined) {
      return { provideInlineCompletionItems };
    }
    return {
      provideInlineCompletionItems,
      didChange: (event, next) => {
        const client = this.#supervisor.client;
        if (client !== undefined) {
          sendReason(client, event); // sent first, for it is about this change
        }
        return next(event);
      },
    };
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
      context.secrets.onDidChange(restart),
      workspace.onDidGrantWorkspaceTrust(restart),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && languages.match(DOCUMENTS, document) > 0) {
          this.#supervisor.edited();
        }
      }),
      window.onDidChangeTextEditorSelection((event) => {
        const client = this.#recording.state === "on" ? this.#supervisor.client : undefined;
        if (client?.state === State.Running && languages.match(DOCUMENTS, event.textEditor.document) > 0) {
          sendSelection(client, event);
        }
      }),
    ];
  }

  #commands(): readonly Disposable[] {
    const registered: Record<string, () => unknown> = {
      menu: () => showMenu(this.#bar.status),
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
    return [...ours, ...typingCommands(this.#asking, () => { this.#showSnooze(); })];
  }

  /** Replay a tape as it was recorded: with the same provider, repairs and policy, and without tests. */
  async #replay(tape: string): Promise<ProcessExecution> {
    const policy = workspace.getConfiguration("ghosttape").get("policy", "vscode");
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
