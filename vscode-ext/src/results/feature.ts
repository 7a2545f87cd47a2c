import { Disposable, type ExtensionContext, workspace } from "vscode";

import { SCHEME, VirtualDocuments } from "./documents";
import { MomentPages } from "./showing";
import { type Execute, ResultsView } from "./view";

/** What a window has to look at runs with. */
export function addResults(context: ExtensionContext, execute: Execute): { documents: VirtualDocuments; results: ResultsView } {
  const documents = new VirtualDocuments();
  const pages = new MomentPages(documents);
  const results = new ResultsView(execute, pages);
  const closed = workspace.onDidCloseTextDocument(({ uri }) => { documents.forget(uri); });
  context.subscriptions.push(Disposable.from(closed, workspace.registerTextDocumentContentProvider(SCHEME, documents), documents, pages, results));
  return { documents, results };
}
