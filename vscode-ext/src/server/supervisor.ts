import type { LogOutputChannel } from "vscode";

import { PassingError, SetupError } from "../setup/errors";
import type { ClientListener, GhostClient } from "./client";
import { Restarts } from "./restarts";
import { serial } from "./serial";
import type { ServerState } from "./state";

/** A client that is not started yet, and the program that it starts. */
export interface Prepared {
  readonly client: GhostClient;
  readonly command: string;
}

/** What a supervisor needs of the window. */
export interface SupervisorHost {
  readonly log: LogOutputChannel;
  /** Make a client for the settings of this moment. @throws SetupError if they cannot be used. */
  prepare(listener: ClientListener): Promise<Prepared>;
  /** Show a state. */
  show(state: ServerState): void;
  /** Tell the person why the server could not be started. */
  report(error: unknown): void;
  requestFailed(reason: string): void;
}

/** Keeps one server running: starts it, starts it again when it ends, and replaces it when settings change. */
export class Supervisor {
  readonly #host: SupervisorHost;
  readonly #restarts = new Restarts();
  readonly #replace = serial(() => this.#replaced());
  #client: GhostClient | undefined;
  #isStarting = false;
  #hasRun = false;
  #hasReported = false;
  /** How often the person, or what they changed, asked for a start. */
  #orders = 0;
  #onEdit = false;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(host: SupervisorHost) {
    this.#host = host;
  }

  /** The client of a server that runs; undefined while there is none. */
  get client(): GhostClient | undefined {
    return this.#isStarting || this.#timer !== undefined || this.#onEdit ? undefined : this.#client;
  }

  /** Start the server, or start it again with the settings of this moment. One that is being started is given up. */
  async restart(): Promise<void> {
    this.#restarts.forget();
    this.#orders++;
    this.#hasRun = this.#hasReported = false;
    if (this.#isStarting) {
      await this.#retire();
    }
    await this.#replace();
  }

  /** Something was edited: start a server that waits for that. */
  edited(): void {
    if (this.#onEdit) {
      this.#onEdit = false;
      void this.#replace();
    }
  }

  /** Stop the server for good. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#forgetTimer();
    await this.#retire();
  }

  async #replaced(): Promise<void> {
    this.#forgetTimer();
    this.#onEdit = false;
    await this.#retire();
    if (!this.#isOver) {
      await this.#start();
    }
  }

  async #start(): Promise<void> {
    this.#isStarting = true;
    this.#host.show({ kind: "starting" });
    const order = this.#orders;
    const isGivenUp = (): boolean => order !== this.#orders || this.#isOver;
    try {
      const { client, command } = await this.#host.prepare(this.#listener());
      if (isGivenUp()) {
        await client.retire(); // its settings are those of before
        return;
      }
      this.#client = client;
      const version = await client.begin();
      this.#restarts.started(Date.now());
      this.#hasRun = true;
      this.#host.show({ kind: "running", command, version });
    } catch (error) {
      await (isGivenUp() ? undefined : this.#failed(error));
    } finally {
      this.#isStarting = false;
    }
  }

  async #failed(error: unknown): Promise<void> {
    await this.#retire();
    this.#host.log.error(reasonOf(error));
    const isFinal = this.#needsPerson(error);
    if (isFinal) {
      this.#host.show({ kind: "failed", reason: reasonOf(error) });
    } else {
      this.#later();
    }
    if (isFinal || !(this.#hasRun || this.#hasReported)) {
      this.#hasReported = true;
      this.#host.report(error);
    }
  }

  /** Whether no further start can help before the person does something. A program that has run may be away for an update. */
  #needsPerson(error: unknown): boolean {
    return error instanceof SetupError && (this.#hasRun ? error.setting === "ghosttape" : !(error instanceof PassingError));
  }

  #listener(): ClientListener {
    return {
      ended: () => {
        this.#later();
      },
      requestFailed: (reason) => {
        this.#host.requestFailed(reason);
      },
    };
  }

  /** Start the server again after a while, or at the next edit. */
  #later(): void {
    if (this.#isOver) {
      return;
    }
    const { wait, onEdit } = this.#restarts.ended(Date.now());
    this.#host.show({ kind: "ended", wait, onEdit });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onEdit = onEdit;
      if (!onEdit) {
        void this.#replace();
      }
    }, wait);
  }

  #forgetTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #retire(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.retire();
    } catch (error) {
      this.#host.log.warn(String(error));
    }
  }
}

/** The words of an error for the person. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
