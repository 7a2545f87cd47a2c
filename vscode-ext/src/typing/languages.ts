import type { NotebookCell, NotebookDocument } from "vscode";

/** Language identifiers the extension works in: other documents are never sent to the server. */
export const LANGUAGES = [
  "c",
  "cpp",
  "csharp",
  "go",
  "java",
  "javascript",
  "javascriptreact",
  "python",
  "ruby",
  "rust",
  "typescript",
  "typescriptreact",
] as const;

/** Where documents and notebooks lie that the server may see. */
const SCHEMES = ["file", "untitled"];
/** The scheme of the documents that are cells of notebooks. */
export const CELL = "vscode-notebook-cell";

export const DOCUMENTS = LANGUAGES.flatMap((language) => [...SCHEMES, CELL].map((scheme) => ({ scheme, language })));

/** The cells of a notebook that the server may see. */
export function cellsOfCode(notebook: NotebookDocument, cells: NotebookCell[]): NotebookCell[] {
  const isOurs = SCHEMES.includes(notebook.uri.scheme);
  return cells.filter(({ document }) => isOurs && (LANGUAGES as readonly string[]).includes(document.languageId));
}
