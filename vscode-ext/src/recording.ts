import {
  ConfigurationTarget,
  type ExtensionContext,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditorSelectionChangeEvent,
  Uri,
  window,
  workspace,
} from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { CONSENT, consent, takesQuestion } from "./consent";

/** The folder of this session's recording; undefined unless the person has said yes. `agreed` is called when they do so now. */
export async function recordingFolder(context: ExtensionContext, agreed: () => void): Promise<string | undefined> {
  const folder = Uri.joinPath(context.globalStorageUri, "recordings").fsPath;
  const said = await consent(wish(), context.globalState);
  if (said === "ask") {
    void ask(context, folder, agreed);
  }
  return said === "yes" ? folder : undefined;
}

function wish(): unknown {
  return workspace.getConfiguration("ghosttape").get("record");
}

/** Put the question in the window that the person looks at; the others, and those that start later, leave it at that. */
async function ask(context: ExtensionContext, folder: string, agreed: () => void): Promise<void> {
  await focus(context);
  if (!(await takesQuestion(wish(), context.globalState))) {
    return;
  }
  const answer = await window.showInformationMessage(
    "Record your editing sessions with ghosttape?",
    {
      modal: true,
      detail:
        "What you type in files of the opened folders, when, and what was suggested to you then is written to " +
        `${folder} on the machine where the files are. It is sent nowhere. ` +
        "Files that .gitignore or .ghosttapeignore leave out and files that hold keys are not recorded; " +
        "what looks like a credential is covered.",
    },
    "Record",
    "Do Not Record",
  );
  if (answer === "Record") {
    await context.globalState.update(CONSENT, true);
    agreed();
  } else {
    await workspace.getConfiguration("ghosttape").update("record", false, ConfigurationTarget.Global);
  }
}

/** Wait until this window has the focus. */
async function focus(context: ExtensionContext): Promise<void> {
  if (window.state.focused) {
    return;
  }
  await new Promise<void>((resolve) => {
    const waiting = window.onDidChangeWindowState((state) => {
      if (state.focused) {
        waiting.dispose();
        resolve();
      }
    });
    context.subscriptions.push(waiting);
  });
}

/** Tell the server that the next change is an undo or a redo, which the protocol has no word for. */
export function tellReason(client: LanguageClient, event: TextDocumentChangeEvent): void {
  if (event.reason !== undefined && event.contentChanges.length > 0) {
    const reason = event.reason === TextDocumentChangeReason.Undo ? "undo" : "redo";
    void client.sendNotification("ghosttape/hint", { textDocument: named(client, event.document.uri), reason });
  }
}

/** Tell the server where the cursors are. */
export function tellSelection(client: LanguageClient, event: TextEditorSelectionChangeEvent): void {
  const selections = event.selections.map((selection) => client.code2ProtocolConverter.asRange(selection));
  const textDocument = named(client, event.textEditor.document.uri);
  void client.sendNotification("ghosttape/selection", { textDocument, selections });
}

function named(client: LanguageClient, uri: Uri): { uri: string } {
  return { uri: client.code2ProtocolConverter.asUri(uri) };
}
