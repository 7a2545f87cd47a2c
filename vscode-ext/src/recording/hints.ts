import {
  Disposable,
  languages,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditorSelectionChangeEvent,
  type Uri,
  window,
  workspace,
} from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

import { DOCUMENTS } from "../typing/languages";
import { onPaste } from "./pasting";
import { type ChangeReason, ChangeReasons } from "./reasons";
import { type EndedCommand, onCommandEnd } from "./terminals";

/** The client of a server that records, and that runs; undefined while nothing is recorded. */
export type RecordingClient = () => LanguageClient | undefined;

/** Tells a server that records what the protocol has no word for: why a document changes, cursors, Escape, test runs in terminals. */
export class Hints implements Disposable {
  readonly #client: RecordingClient;
  readonly #reasons = new ChangeReasons();
  readonly #found = new WeakMap<TextDocumentChangeEvent, ChangeReason | "unknown">();
  readonly #saving = new Map<string, () => void>();
  readonly #subscription: Disposable;
  #watching: Disposable | undefined;

  constructor(client: RecordingClient) {
    this.#client = client;
    this.#subscription = Disposable.from(
      window.onDidChangeTextEditorSelection((event) => { this.#selected(event); }),
      workspace.onWillSaveTextDocument(({ document }) => { this.#saves(document); }),
      workspace.onDidSaveTextDocument((document) => { this.#saved(document); }),
    );
  }

  /** A server starts that records, or does not: what is pasted and run in terminals is looked at only while one records. */
  follow(isRecording: boolean): void {
    if (!isRecording) {
      this.#watching?.dispose();
      this.#watching = undefined;
      return;
    }
    this.#watching ??= Disposable.from(
      onPaste((document, text) => { this.#reasons.pasting(keyOf(document), text, performance.now()); }),
      onCommandEnd((command) => { this.#ended(command); }),
    );
  }

  /** The middleware of a language client: a reason is sent first, for it is about the change that follows. */
  readonly didChange: NonNullable<Middleware["didChange"]> = (event, next) => {
    const reason = this.reasonOf(event);
    if (reason !== undefined) {
      this.#send("ghosttape/hint", event.document.uri, { reason });
    }
    return next(event);
  };

  /** Why a document changed: the same for all who ask about one event. */
  readonly reasonOf = (event: TextDocumentChangeEvent): ChangeReason | undefined => {
    const found = this.#found.get(event) ?? this.#find(event) ?? "unknown";
    this.#found.set(event, found);
    return found === "unknown" ? undefined : found;
  };

  /** What the active document changes while `run` runs, changes for this reason. */
  async during(reason: ChangeReason, run: () => Thenable<unknown>): Promise<void> {
    const document = window.activeTextEditor?.document;
    const end = document === undefined ? undefined : this.#reasons.begin(reason, keyOf(document), performance.now());
    try {
      await run();
    } finally {
      end?.();
    }
  }

  /** The person dismissed the completion that a document shows. */
  dismissed(document: TextDocument): void {
    this.#send("ghosttape/dismissed", document.uri);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.follow(false);
  }

  #find({ document, contentChanges, reason }: TextDocumentChangeEvent): ChangeReason | undefined {
    const editor = window.activeTextEditor;
    return this.#reasons.of({
      key: keyOf(document),
      changes: contentChanges.map(({ range, rangeLength, text }) => ({ span: range, length: rangeLength, text })),
      told: reason === undefined ? undefined : reason === TextDocumentChangeReason.Undo ? "undo" : "redo",
      cursors: editor?.document === document ? editor.selections : undefined,
      now: performance.now(),
    });
  }

  #selected(event: TextEditorSelectionChangeEvent): void {
    const { document } = event.textEditor;
    const client = this.#client();
    if (event.kind === undefined && event.textEditor !== window.activeTextEditor) {
      return; // nobody moved them: another editor's cursors follow what is written here
    }
    if (client !== undefined && languages.match(DOCUMENTS, document) > 0) {
      const selections = event.selections.map((selection) => client.code2ProtocolConverter.asRange(selection));
      this.#send("ghosttape/selection", document.uri, { selections });
    }
  }

  /** What a save changes is formatting: blanks at ends of lines, the formatter, imports. */
  #saves(document: TextDocument): void {
    this.#saved(document);
    this.#saving.set(keyOf(document), this.#reasons.begin("format", keyOf(document), performance.now()));
  }

  #saved(document: TextDocument): void {
    this.#saving.get(keyOf(document))?.();
    this.#saving.delete(keyOf(document));
  }

  #ended(command: EndedCommand): void {
    notify(this.#client(), "ghosttape/terminal", command);
  }

  #send(method: string, uri: Uri, members: object = {}): void {
    const client = this.#client();
    notify(client, method, { textDocument: { uri: client?.code2ProtocolConverter.asUri(uri) }, ...members });
  }
}

/** Send what no answer is awaited for; a server that has just ended hears nothing any more, which the window notices by itself. */
function notify(client: LanguageClient | undefined, method: string, members: object): void {
  client?.sendNotification(method, members).catch(() => undefined);
}

function keyOf(document: TextDocument): string {
  return document.uri.toString();
}
