import { homedir } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import {
  InlineCompletionTriggerKind,
  languages,
  type LogOutputChannel,
  type TextDocument,
  window,
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
  State,
} from "vscode-languageclient/node";

import { debounced } from "./debounce";
import { DOCUMENTS } from "./languages";
import { isExecutable, locate } from "./location";
import { tellReason, tellSelection } from "./recording";
import { delay, initializationOptions } from "./settings";

/** A language client that starts its server again after a crash, but neither before it has once run nor once retired. */
export class GhostClient extends LanguageClient {
  #retired = false;
  readonly #retiring: (() => void)[] = [];

  /** Call `then` when this client is retired. */
  onRetire(then: () => void): void {
    this.#retiring.push(then);
  }

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
    for (const then of this.#retiring) {
      then();
    }
    await this.stop();
  }
}

/**
 * Make a client for the server and the settings of this moment. `recordTo` is the folder to record into, if the person wants it.
 *
 * @throws SetupError if the server is missing, or a setting cannot be used.
 */
export function createClient(log: LogOutputChannel, recordTo?: string): GhostClient {
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
  const client = new GhostClient("ghosttape", "ghosttape", server, clientOptions(log, settings, recordTo));
  log.info(`Starting ${command} serve --stdio${recordTo === undefined ? "" : `, recording to ${recordTo}`}`);
  if (recordTo !== undefined) {
    tellWhatTheProtocolDoesNot(client);
  }
  return client;
}

/** What a recording wants to know beyond the language server protocol. */
function tellWhatTheProtocolDoesNot(client: GhostClient): void {
  client.middleware.didChange = (event, next) => {
    tellReason(client, event); // sent first, for it is about this change
    return next(event);
  };
  const selections = window.onDidChangeTextEditorSelection((event) => {
    if (client.state === State.Running && languages.match(DOCUMENTS, event.textEditor.document) > 0) {
      tellSelection(client, event);
    }
  });
  client.onRetire(() => void selections.dispose());
}

function clientOptions(
  log: LogOutputChannel,
  settings: WorkspaceConfiguration,
  recordTo: string | undefined,
): LanguageClientOptions {
  return {
    documentSelector: DOCUMENTS,
    initializationOptions: initializationOptions(settings.get("provider"), recordTo),
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
