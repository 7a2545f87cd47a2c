import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import type { LogOutputChannel } from "vscode";
import {
  type CancellationToken,
  CloseAction,
  ErrorAction,
  ConnectionError,
  ErrorCodes,
  type ErrorHandler,
  InlineCompletionRequest,
  LanguageClient,
  type LanguageClientOptions,
  type MessageSignature,
  ResponseError,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";

import { SetupError } from "../setup/errors";
import { checkIdentity } from "../setup/identity";
import { PATH_SETTING } from "../setup/location";
import { notAServer, ServerProcess, type Start } from "../setup/process";
import { cellsOfCode, DOCUMENTS } from "../typing/languages";
import { ServerLost } from "./lost";

/** Codes of errors that the server did not send: the connection broke. */
const BROKEN_CONNECTION = new Set<number>([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
]);

/** What a client tells the one who made it. */
export interface ClientListener {
  /** The server has ended, although nobody asked it to. Not called before it once answered. */
  ended(): void;
  /** A request failed, with the server's reason. */
  requestFailed(reason: string): void;
}

/** Sees a server to its end: how long it may take to answer `shutdown` (ms), and who is told while it does. */
export interface Farewell {
  readonly patience: number;
  /** Called with the way to the end: it rejects if the server was killed because it took longer. */
  follow(ending: Promise<void>): void;
}

/** A server that loses nothing by being killed. */
const AT_ONCE: Farewell = { patience: 2000, follow: () => undefined };

/** A language client for one process of the server, which it starts when it is made. Whoever made it decides what follows its end. */
export class GhostClient extends LanguageClient {
  readonly #command: string;
  readonly #process: ServerProcess;
  readonly #listener: ClientListener;
  readonly #farewell: Farewell;
  readonly #retiring: (() => void)[] = [];
  #hasAnswered = false;
  #retired = false;

  constructor(start: Start, options: LanguageClientOptions, listener: ClientListener, farewell = AT_ONCE) {
    super("ghosttape", "ghosttape", () => Promise.resolve(this.#process.child), options);
    this.#command = start.command;
    this.#process = new ServerProcess(start);
    this.#listener = listener;
    this.#farewell = farewell;
  }

  /**
   * Start the server, and give its version.
   *
   * @throws SetupError if the program is no ghosttape language server, or refuses its settings.
   */
  async begin(): Promise<string> {
    const starting = this.start();
    starting.catch(() => undefined); // the reason is told by the process, or below
    try {
      await Promise.race([starting, this.#process.failure]);
    } catch (error) {
      throw await this.#explained(error);
    }
    this.#process.answered();
    const version = checkIdentity(this.#command, this.initializeResult?.serverInfo);
    this.#hasAnswered = true;
    return version;
  }

  /** Call `then` when this client is retired. */
  onRetire(then: () => void): void {
    this.#retiring.push(then);
  }

  /** Stop the server for good, also one that is just being started; resolves when its process has ended. */
  async retire(): Promise<void> {
    this.#retired = true;
    for (const then of this.#retiring) {
      then();
    }
    try {
      if (this.needsStop() && this.initializeResult !== undefined) {
        const ending = this.stop(this.#farewell.patience);
        this.#farewell.follow(ending);
        await ending;
      }
    } finally {
      await this.#process.end(this.#hasAnswered ? undefined : 0);
    }
  }

  override createDefaultErrorHandler(maxRestartCount?: number): ErrorHandler {
    const usual = super.createDefaultErrorHandler(maxRestartCount);
    return {
      error: async (error, message, count) => {
        const { action } = await usual.error(error, message, count);
        if (action === ErrorAction.Shutdown) {
          // a key may be sent to a server that has just been killed; a client that shuts itself down would never call `closed`
          void this.#process.end(0);
        }
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        if (this.#hasAnswered && !this.#retired) {
          this.#listener.ended();
        }
        return { action: CloseAction.DoNotRestart, handled: true, message: "The server has ended." };
      },
    };
  }

  /** Log an error; what goes wrong before the server has once run is shown by whoever awaits the start, and not twice. */
  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.#hasAnswered && showNotification !== "force" ? showNotification : false);
  }

  override handleFailedRequest<T>(
    type: MessageSignature,
    token: CancellationToken | undefined,
    error: unknown,
    defaultValue: T,
    showNotification?: boolean,
    throwOnCancel?: boolean,
  ): T {
    if (type.method === InlineCompletionRequest.method && isLost(error)) {
      throw new ServerLost(); // it was not answered with nothing: it can be asked again
    }
    if (isAboutTheModel(error)) {
      this.#listener.requestFailed(error.message);
    }
    return super.handleFailedRequest(type, token, error, defaultValue, showNotification, throwOnCancel);
  }

  /** What the person is told of a failed start: what the process did, if it says more than the broken connection. */
  async #explained(error: unknown): Promise<unknown> {
    if (error instanceof SetupError) {
      return error;
    }
    if (error instanceof ResponseError && error.code === ErrorCodes.MethodNotFound) {
      return new SetupError(notAServer(this.#command, "does not know LSP's first request"), PATH_SETTING);
    }
    if (error instanceof ResponseError && !isLost(error)) {
      return new SetupError(error.message, "ghosttape"); // the server's own words: a setting that it refuses
    }
    const soon = new Promise((resolve) => setTimeout(resolve, 1000, error));
    return Promise.race([soon, this.#process.failure.catch((reason: unknown) => reason)]);
  }
}

/** Say whether an error is the server's answer that a question could not be served, and not a cancellation or a lost connection. */
function isAboutTheModel(error: unknown): error is ResponseError<unknown> {
  const requestFailed = -32803; // LSP 3.17, "RequestFailed"
  return error instanceof ResponseError && error.code === requestFailed;
}

/** Say whether an error means that the connection to the server broke: the answer will not come. */
export function isLost(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ResponseError && BROKEN_CONNECTION.has(error.code));
}

/** The options of a client that are the same for every start. */
export function clientOptions(log: LogOutputChannel, initializationOptions: unknown): LanguageClientOptions {
  return {
    documentSelector: DOCUMENTS,
    notebookDocumentOptions: { filterCells: cellsOfCode },
    initializationOptions,
    initializationFailedHandler: () => false,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    stdioOptions: { stdout: writeLines, stderr: writeLines },
  };
}

function writeLines(stream: Readable, log: LogOutputChannel): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
    log.info(line);
  });
}
