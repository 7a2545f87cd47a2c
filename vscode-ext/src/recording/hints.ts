import { type TextDocumentChangeEvent, TextDocumentChangeReason, type TextEditorSelectionChangeEvent, type Uri } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** Tell the server that the next change is an undo or a redo, which the protocol has no word for. */
export function sendReason(client: LanguageClient, event: TextDocumentChangeEvent): void {
  if (event.reason !== undefined && event.contentChanges.length > 0) {
    const reason = event.reason === TextDocumentChangeReason.Undo ? "undo" : "redo";
    void client.sendNotification("ghosttape/hint", { textDocument: named(client, event.document.uri), reason });
  }
}

/** Tell the server where the cursors are. */
export function sendSelection(client: LanguageClient, event: TextEditorSelectionChangeEvent): void {
  const selections = event.selections.map((selection) => client.code2ProtocolConverter.asRange(selection));
  const textDocument = named(client, event.textEditor.document.uri);
  void client.sendNotification("ghosttape/selection", { textDocument, selections });
}

function named(client: LanguageClient, uri: Uri): { uri: string } {
  return { uri: client.code2ProtocolConverter.asUri(uri) };
}
