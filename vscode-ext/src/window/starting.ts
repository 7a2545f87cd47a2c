import { type LogOutputChannel, workspace } from "vscode";

import { modelName } from "../providers/choices";
import { configuredProvider } from "../providers/choosing";
import type { Keys } from "../providers/keys";
import { canChangeTo, initializationOptions, type InitializationOptions, type ServerSettings } from "../providers/options";
import { finishing } from "../recording/finishing";
import type { Hints } from "../recording/hints";
import type { Recording } from "../recording/recording";
import type { Scene } from "../replaying/scene";
import type { MomentRecord } from "../results/records";
import { type ClientListener, clientOptions, GhostClient } from "../server/client";
import { refuseOthers } from "../server/others";
import type { Prepared } from "../server/supervisor";
import { locate } from "../setup/location";
import { currentSurroundings } from "../setup/surroundings";
import type { Asking } from "../typing/asking";
import { serverFolder } from "./folders";

/** What a server tells its window, besides what a language server does. */
export interface ServerListener {
  /** A moment of a run has ended; `isJudged`: it has its verdict. */
  moment(record: MomentRecord, isJudged: boolean): void;
  scene(scene: Scene): void;
}

/** What a start needs of the window. */
export interface StartingHost {
  readonly log: LogOutputChannel;
  readonly keys: Keys;
  readonly recording: Recording;
  readonly hints: Hints;
  readonly provide: Asking["provide"];
  showModel(model: string): void;
}

/** Makes the client of a server with the settings of the moment in which it starts. */
export class Starting {
  readonly #host: StartingHost;
  readonly #listener: ServerListener;
  #started: ServerSettings = { options: { provider: {} }, variables: {} };

  constructor(host: StartingHost, listener: ServerListener) {
    this.#host = host;
    this.#listener = listener;
  }

  /** @throws SetupError if there is no server, or the settings cannot be used. */
  async prepare(listener: ClientListener): Promise<Prepared> {
    const { log, keys, recording, hints } = this.#host;
    const { provider } = configuredProvider();
    const command = locate(await currentSurroundings(log));
    const variables = await keys.variables(provider["name"]);
    const recordTo = recording.nextSession(); // nothing is waited for from here on, so that a pause is never overlooked
    hints.follow(recordTo !== undefined);
    const options = currentOptions(recordTo);
    this.#started = { options, variables };
    this.#host.showModel(modelName(provider));
    const start = { command, args: ["serve", "--stdio"], cwd: serverFolder(), env: { ...process.env, ...variables } };
    const middleware = this.#middleware(recordTo);
    const farewell = recordTo === undefined ? undefined : finishing;
    const client = new GhostClient(start, { ...clientOptions(log, options), middleware }, listener, farewell);
    this.#listen(client);
    log.info(`Starting ${command} serve --stdio${recordTo === undefined ? "" : `, recording to ${recordTo}`}`);
    return { client, command };
  }

  /** The settings of this moment, if a server that runs can change to them; undefined if it must be started anew. */
  async changed(): Promise<InitializationOptions | undefined> {
    const options = currentOptions();
    const variables = await this.#host.keys.variables(options.provider["name"]);
    return canChangeTo(this.#started, { options, variables }) ? options : undefined;
  }

  #listen(client: GhostClient): void {
    client.onNotification("ghosttape/moment", (record: MomentRecord) => { this.#listener.moment(record, false); });
    client.onNotification("ghosttape/verdict", (record: MomentRecord) => { this.#listener.moment(record, true); });
    client.onNotification("ghosttape/scene", (scene: Scene) => { this.#listener.scene(scene); });
  }

  #middleware(recordTo: string | undefined): NonNullable<ReturnType<typeof clientOptions>["middleware"]> {
    const ours = { provideInlineCompletionItems: this.#host.provide, executeCommand: refuseOthers };
    return recordTo === undefined ? ours : { ...ours, didChange: this.#host.hints.didChange };
  }
}

/** What the settings of this moment tell a server at its start. */
export function currentOptions(recordTo?: string): InitializationOptions {
  const repairs: unknown = workspace.getConfiguration("ghosttape").get("repairs");
  return initializationOptions(configuredProvider().provider, { repairs, recordTo });
}
