import { join } from "node:path";

import { commands, Disposable, type ExtensionContext, languages, type LogOutputChannel, window, workspace } from "vscode";
import { DidChangeConfigurationNotification, ExecuteCommandRequest, State } from "vscode-languageclient/node";

import { addAskingAgain } from "../again/feature";
import { modelName } from "../providers/choices";
import { Keys } from "../providers/keys";
import type { Provider } from "../providers/options";
import { Hints } from "../recording/hints";
import { Recording } from "../recording/recording";
import { Evaluating } from "../evaluating/feature";
import { Replaying } from "../replaying/feature";
import { addResults } from "../results/feature";
import { RunFolders } from "../results/runs";
import { Turn } from "../results/turn";
import type { Execute } from "../results/view";
import { StatusBar } from "../seeing/bar";
import { furtherItems, originOf } from "../server/alternatives";
import { type GhostClient, isLost } from "../server/client";
import { ServerLost } from "../server/lost";
import { tellShown } from "../server/showing";
import { reasonOf, Supervisor } from "../server/supervisor";
import { report } from "../setup/reporting";
import { Asking, type Place, type Shown } from "../typing/asking";
import { DOCUMENTS } from "../typing/languages";
import { configuredPolicy, watchOwnPolicies } from "../typing/policies/configured";
import { DEFAULT_POLICY, policyOf } from "../typing/policies/policy";
import { type CommandHost, installServer, windowCommands } from "./commands";
import { fileFolders } from "./folders";
import { type ServerListener, Starting } from "./starting";

const MINUTE = 60_000;

/** ghosttape in one window of the editor: its server, what the person sees of it, and what they can do. */
export class GhosttapeWindow {
  readonly #log: LogOutputChannel;
  readonly #recording: Recording;
  readonly #bar: StatusBar;
  readonly #asking: Asking;
  readonly #starting: Starting;
  readonly #supervisor: Supervisor;

  constructor(context: ExtensionContext, log: LogOutputChannel) {
    this.#log = log;
    const restart = (): Promise<void> => this.restart();
    const [keys, hints] = [new Keys(context.secrets), new Hints(() => this.#recordingClient())];
    const recording = (this.#recording = new Recording(context, restart));
    const bar = (this.#bar = new StatusBar({ server: { kind: "starting" }, model: "", recording: recording.state, snooze: 0 }));
    const asking = (this.#asking = this.#asker(hints));
    const showModel = (model: string): void => { bar.show({ model, latency: undefined }); };
    this.#starting = new Starting({ log, keys, recording, hints, provide: asking.provide, showModel }, this.#features(context));
    const host = { log, keys, recording, hints, bar, asking, restart, showSnooze: () => { this.#showSnooze(); } };
    this.#supervisor = this.#supervise(host);
    context.subscriptions.push(bar, asking, hints, ...windowCommands(host), ...this.#events(context));
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
      const options = await this.#starting.changed();
      const client = this.#supervisor.client;
      if (client === undefined || options === undefined) {
        await this.restart();
        return;
      }
      await client.sendNotification(DidChangeConfigurationNotification.type, { settings: { ghosttape: options } });
      const model = modelName(await client.sendRequest<Provider>("ghosttape/provider")); // the old one, where the new one is refused
      this.#bar.show({ model, latency: undefined, problem: undefined });
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

  #asker(hints: Hints): Asking {
    const server = {
      alternatives: (...place: Place) => furtherItems(this.#supervisor.client, ...place),
      shown: (...what: Shown) => { tellShown(this.#supervisor.client, ...what); },
      origin: (...place: Place) => originOf(this.#supervisor.client, ...place),
    };
    const answered = (latency: number): void => { this.#bar.show({ latency, problem: undefined }); };
    return new Asking(policyOf(DEFAULT_POLICY), answered, server, hints.reasonOf);
  }

  /** Add what is done with runs; what is returned listens to the server for it. */
  #features(context: ExtensionContext): ServerListener {
    const execute: Execute = (...order) => this.#execute(...order);
    const runs = new RunFolders(fileFolders, () => workspace.isTrusted, join(context.globalStorageUri.fsPath, "runs"));
    const { documents, results } = addResults(context, execute, runs);
    const turn = new Turn();
    const evaluating = new Evaluating(context, execute, turn, results, runs);
    const replaying = new Replaying(context, execute, turn, documents, results, runs);
    addAskingAgain(context, execute, documents);
    return {
      moment: (record, isJudged) => { evaluating.take(record, isJudged); },
      scene: (scene) => void replaying.take(scene),
    };
  }

  #supervise({ log, restart }: Pick<CommandHost, "log" | "restart">): Supervisor {
    return new Supervisor({
      log,
      prepare: (listener) => this.#starting.prepare(listener),
      show: (server) => {
        this.#bar.show({ server, problem: undefined, recording: this.#recording.state });
        void commands.executeCommand("setContext", "ghosttape.isRunning", server.kind === "running");
        if (server.kind === "running") {
          this.#asking.serverRuns();
        }
      },
      report: (error) => void report(error, log, () => void installServer({ log, restart })),
      requestFailed: (problem) => {
        this.#bar.show({ problem });
      },
    });
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
    try {
      return await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }, token);
    } catch (error) {
      throw isLost(error) ? new ServerLost() : error;
    }
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
}
