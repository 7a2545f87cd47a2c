import { homedir } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import {
  InlineCompletionTriggerKind,
  type LogOutputChannel,
  type TextDocument,
  workspace,
  type WorkspaceConfiguration,
} from "vscode";
import {
  CloseAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";

import { debounced } from "./debounce";
import { DOCUMENTS } from "./languages";
import { isExecutable, locate } from "./location";
import { delay, initializationOptions } from "./settings";

/** A language client that starts its server again after a crash, but neither before it has once run nor once retired. */
export class GhostClient extends LanguageClient {
  #retired = false;

  override createDefaultErrorHandler(maxRestartCount?: number): ErrorHandler {
    const usual = super.createDefaultErrorHandler(maxRestartCount);
    return {
      error: (error, message, count) => usual.error(error, message, count),
      closed: () =>
        this.#retired || this.initializeResult === undefined
          ? { action: CloseAction.DoNotRestart, handled: true }
          : usual.closed(),
    };
  }

  /** Log an error; what goes wrong before the server has once run is shown by whoever awaits the start, and not twice. */
  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.initializeResult === undefined ? false : showNotification);
  }

  /** Stop the server for good, also one that is just being started. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.stop();
  }
}

/**
 * Make a client for the server and the settings of this moment.
 *
 * @throws SetupError if the server is missing, or a setting cannot be used.
 */
export function createClient(log: LogOutputChannel): GhostClient {
  const settings = workspace.getConfiguration("ghosttape");
  const command = locate({
    configured: settings.get("server.path", ""),
    searchPath: process.env["PATH"] ?? "",
    home: homedir(),
    platform: process.platform,
    isExecutable,
  });
  // A folder that is not trusted must not be where the server looks for files.
  const options = workspace.isTrusted ? {} : { cwd: homedir() };
  const server = { command, args: ["serve", "--stdio"], options };
  const client = new GhostClient("ghosttape", "ghosttape", server, clientOptions(log, settings));
  log.info(`Starting ${command} serve --stdio`);
  return client;
}

function clientOptions(log: LogOutputChannel, settings: WorkspaceConfiguration): LanguageClientOptions {
  return {
    documentSelector: DOCUMENTS,
    initializationOptions: initializationOptions(settings.get("provider")),
    initializationFailedHandler: () => false,
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    stdioOptions: { stdout: writeLines, stderr: writeLines },
    middleware: { provideInlineCompletionItems },
  };
}

const provideInlineCompletionItems: NonNullable<Middleware["provideInlineCompletionItems"]> = (
  document,
  position,
  context,
  token,
  next,
) => {
  const ms = delay(context.triggerKind === InlineCompletionTriggerKind.Invoke, configuredDebounce(document));
  return debounced(ms, token, () => next(document, position, context, token));
};

function configuredDebounce(document: TextDocument): unknown {
  return workspace.getConfiguration("ghosttape", document).get("debounce");
}

function writeLines(stream: Readable, log: LogOutputChannel): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on("line", (line) => {
    log.info(line);
  });
}
