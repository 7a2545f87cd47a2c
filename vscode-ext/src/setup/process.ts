import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

import { PassingError, SetupError } from "./errors";
import { PATH_SETTING } from "./location";

/** How long a server may take to answer `initialize` (ms): Python on a busy machine with a cold disk needs many seconds. */
export const PATIENCE = 60_000;
const FIRST_BYTES = "content-";
const LONGEST_WORDS = 300;
/** How long the last words of a process that ended may take to arrive (ms). */
const LAST_WORDS_WAIT = 100;

/** How a server is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The process of a server, watched until it has proved to be one. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects with a SetupError when the program shows that it is no language server; never resolves. */
  readonly failure: Promise<never>;
  readonly #command: string;
  #lastWords = "";
  #timer: NodeJS.Timeout | undefined;

  constructor({ command, args, cwd, env }: Start, patience = PATIENCE) {
    this.#command = command;
    this.child = spawn(command, args, { cwd, env, windowsHide: true });
    this.failure = new Promise<never>((_resolve, reject) => {
      this.#watch(reject, patience);
    });
    this.failure.catch(() => undefined); // may be rejected while nobody waits
    this.child.stdin.on("error", () => undefined); // the exit tells the person more
  }

  /** Stop waiting for an answer: it has come. */
  answered(): void {
    clearTimeout(this.#timer);
  }

  /** End the process, if it has not ended by itself within `grace` ms; resolves when it has ended. */
  end(grace = 2000): Promise<void> {
    this.answered();
    if (this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined) {
      return Promise.resolve();
    }
    const timer = setTimeout(() => this.child.kill("SIGKILL"), grace);
    return new Promise((resolve) => {
      this.child.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #watch(reject: (error: SetupError) => void, patience: number): void {
    const fail = (what: string, Kind = SetupError): void => {
      reject(new Kind(notAServer(this.#command, what, this.#lastWords), PATH_SETTING));
    };
    this.child.once("error", (error) => {
      fail(`cannot be started (${error.message})`);
    });
    // not "close", which never comes when nobody reads the output any more
    this.child.once("exit", (code, signal) => {
      this.answered();
      const how = signal === null ? `ended with status ${String(code)}` : `was ended by ${signal}`;
      setTimeout(fail, LAST_WORDS_WAIT, `${how} before it answered`, signal === null ? SetupError : PassingError);
    });
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString()).slice(-LONGEST_WORDS);
    });
    this.child.stdout.once("data", (chunk: Buffer) => {
      if (!startsLikeAMessage(chunk.toString("latin1"))) {
        fail(`writes ${quoted(chunk.toString())} where a language server writes messages`);
        this.child.kill("SIGKILL");
      }
    });
    this.#timer = setTimeout(() => {
      fail(`has not answered for ${String(patience / 1000)} s`, PassingError);
      this.child.kill("SIGKILL");
    }, patience);
  }
}

/** The sentence for a program that is no ghosttape language server: what it did, its last words, and what to do. */
export function notAServer(command: string, what: string, lastWords = ""): string {
  const said = lastWords.trim() === "" ? "" : ` Its last words were ${quoted(lastLine(lastWords))}.`;
  return `This is no working ghosttape language server: it ${what}.${said} Set ${PATH_SETTING} to the program "ghosttape". It is "${command}" now.`;
}

/** Say whether the first bytes of an output can be the header of an LSP message. */
export function startsLikeAMessage(output: string): boolean {
  const start = output.slice(0, FIRST_BYTES.length).toLowerCase();
  return FIRST_BYTES.startsWith(start);
}

function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1) ?? "";
}

function quoted(text: string): string {
  const line = text.trim().split(/\r?\n/)[0] ?? "";
  return `"${line.length > 80 ? `${line.slice(0, 80)}…` : line}"`;
}
