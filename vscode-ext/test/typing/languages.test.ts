import type { NotebookCell, NotebookDocument } from "vscode";
import { describe, expect, it } from "vitest";

import { cellsOfCode } from "../../src/typing/languages";

const cell = (languageId: string): NotebookCell => ({ document: { languageId } }) as NotebookCell;
const notebook = (scheme: string): NotebookDocument => ({ uri: { scheme } }) as unknown as NotebookDocument;

describe("cells of a notebook", () => {
  it("are seen by the server where they are code in a language of ours", () => {
    const cells = [cell("python"), cell("markdown"), cell("sql"), cell("python")];
    expect(cellsOfCode(notebook("file"), cells)).toEqual([cells[0], cells[3]]);
    expect(cellsOfCode(notebook("untitled"), cells)).toHaveLength(2);
  });

  it("are not seen where a document would not be seen either", () => {
    expect(cellsOfCode(notebook("git"), [cell("python")])).toEqual([]);
  });
});
