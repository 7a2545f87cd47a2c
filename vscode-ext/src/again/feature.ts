import { commands, type ExtensionContext, ProgressLocation, type TextEditor, ViewColumn, window, workspace } from "vscode";

import { summary } from "../providers/choices";
import { askForProvider } from "../providers/choosing";
import type { Provider } from "../providers/options";
import { SCHEME, type VirtualDocuments } from "../results/documents";
import type { Execute } from "../results/view";
import { causeOf } from "../setup/errors";
import { CELL, LANGUAGES } from "../typing/languages";
import { type Answer, answerText, type AskedDocument, failureText, orderAt } from "./answer";

const GROUP = "asked again";

/** *Ask Here Again with…*: asks another provider or model at the cursor, and shows its answer. No setting and no document changes. */
export function addAskingAgain(context: ExtensionContext, execute: Execute, documents: VirtualDocuments): void {
  let pages = 0;
  const show = async (path: string, text: string): Promise<void> => {
    pages += 1;
    const uri = documents.put(`${GROUP} ${String(pages)}`, `${path}.answer`, text);
    await window.showTextDocument(await workspace.openTextDocument(uri), { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true });
  };
  context.subscriptions.push(
    commands.registerCommand("ghosttape.askAgain", () => askAgain(window.activeTextEditor, execute, documents, show)),
    workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === SCHEME && uri.query.startsWith(GROUP)) {
        documents.forget(uri);
      }
    }),
  );
}

async function askAgain(
  editor: TextEditor | undefined,
  execute: Execute,
  documents: VirtualDocuments,
  show: (path: string, text: string) => Promise<void>,
): Promise<void> {
  const document = editor && documentOf(editor, documents);
  if (editor === undefined || document === undefined) {
    await window.showInformationMessage("Put the cursor where the model is to be asked: into a file of code, a moment, or a replay.");
    return;
  }
  const { line, character } = editor.selection.active;
  const path = workspace.asRelativePath(editor.document.uri).replace(/^\//, "");
  const provider = await askForProvider("Ask here again with");
  if (provider === undefined) {
    return;
  }
  const name = nameOf(provider);
  const order = orderAt(document, { line, character }, provider);
  const answer = await answered(execute, order, name);
  const failure = answer && failureText(answer, name);
  if (failure !== undefined) {
    await window.showErrorMessage(failure);
  } else if (answer !== undefined) {
    await show(path, answerText(answer, path, order.position, name));
  }
}

/** What the server answers; undefined where it was cancelled, or refused, which was said. */
async function answered(execute: Execute, order: object, name: string): Promise<Answer | undefined> {
  const options = { location: ProgressLocation.Notification, title: `Asking ${name}…`, cancellable: true };
  return window.withProgress(options, async (_, token) => {
    try {
      return (await execute("ghosttape.ask", order, token)) as Answer;
    } catch (error) {
      if (!token.isCancellationRequested) {
        void window.showErrorMessage(`${name} cannot be asked: ${causeOf(error)}`);
      }
      return undefined;
    }
  });
}

/** The document of an editor as it is asked about; undefined if it is none of code that the server may see. */
function documentOf({ document }: TextEditor, documents: VirtualDocuments): AskedDocument | undefined {
  const { languageId, uri } = document;
  const isCode = (LANGUAGES as readonly string[]).includes(languageId);
  const shown = uri.scheme === SCHEME ? documents.of(uri) : undefined;
  const isKnown = shown !== undefined || [CELL, "file", "untitled"].includes(uri.scheme);
  return isCode && isKnown ? { uri: uri.toString(), languageId, shown } : undefined;
}

function nameOf(provider: Provider): string {
  return summary(provider) || "The provider of ghosttape.toml";
}
