import { Disposable, type ExtensionContext, workspace } from "vscode";

import { SCHEME, VirtualDocuments } from "./documents";
import { MomentPages } from "./showing";
import type { RunFolders } from "./runs";
import { type Execute, ResultsView } from "./view";

/** What a window has to look at runs with; `runs` says which there are. */
export function addResults(context: ExtensionContext, execute: Execute, runs: RunFolders): { documents: VirtualDocuments; results: ResultsView } {
  const documents = new VirtualDocuments();
  const pages = new MomentPages(documents);
  const results = new ResultsView(execute, pages, runs);
  const closed = workspace.onDidCloseTextDocument(({ uri }) => { documents.forget(uri); });
  context.subscriptions.push(Disposable.from(closed, workspace.registerTextDocumentContentProvider(SCHEME, documents), documents, pages, results));
  return { documents, results };
}
