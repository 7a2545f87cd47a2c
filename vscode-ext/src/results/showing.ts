import {
  commands,
  type Disposable,
  Range,
  Selection,
  type TextEditor,
  TextEditorRevealType,
  ThemeColor,
  window,
  workspace,
} from "vscode";

import type { VirtualDocuments } from "./documents";
import type { MomentView } from "./records";
import { holeText, logText, type MarkedText, momentText, placeOf } from "./texts";

/** Opens what is known of a moment: its code, the difference, the hole, the log. */
export class MomentPages implements Disposable {
  readonly #documents: VirtualDocuments;
  readonly #ghost = window.createTextEditorDecorationType({
    color: new ThemeColor("editorGhostText.foreground"),
    backgroundColor: new ThemeColor("editorInlayHint.background"),
    fontStyle: "italic",
  });
  readonly #hole = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor("diffEditor.insertedTextBackground"),
    border: "1px dashed",
    borderColor: new ThemeColor("focusBorder"),
  });

  constructor(documents: VirtualDocuments) {
    this.#documents = documents;
  }

  /** The document at the moment, with the suggestion where an editor would show it. */
  async code(key: string, view: MomentView): Promise<void> {
    const { path } = view.record.moment;
    const marked = momentText(view);
    const editor = await this.#open(`${key}/moment`, path, marked.text, marked);
    mark(editor, this.#ghost, marked);
  }

  /** What the developer wrote, and the suggestion in its place. */
  async diff(key: string, view: MomentView): Promise<void> {
    const { path, truth, line } = view.record.moment;
    const isWhole = view.hole !== null;
    const written = this.#documents.put(`${key}/finished`, path, isWhole ? view.finished : (truth ?? ""));
    const suggested = this.#documents.put(`${key}/graft`, path, isWhole ? view.graft : (view.record.suggestion?.text ?? ""));
    const title = `${path}:${String(line + 1)}  what was written ↔ suggestion`;
    const at = view.hole === null ? undefined : placeOf(view.finished, view.hole[0]);
    const selection = at && new Range(at.line, at.character, at.line, at.character);
    await commands.executeCommand("vscode.diff", written, suggested, title, { preview: true, ...(selection && { selection }) });
  }

  /** The finished document with the part that the suggestion stands in for. */
  async hole(key: string, view: MomentView): Promise<void> {
    const marked = holeText(view);
    if (marked === undefined) {
      await window.showInformationMessage(view.why || "The moment has no hole.");
      return;
    }
    mark(await this.#open(`${key}/hole`, view.record.moment.path, marked.text), this.#hole, marked);
  }

  /** All that is known of it in words. */
  async log(key: string, view: MomentView): Promise<void> {
    await this.#open(`${key}/log`, `${view.record.moment.path}.log`, logText(view));
  }

  dispose(): void {
    this.#ghost.dispose();
    this.#hole.dispose();
  }

  async #open(group: string, path: string, text: string, ghost?: MarkedText): Promise<TextEditor> {
    const document = await workspace.openTextDocument(this.#documents.put(group, path, text, ghost));
    return window.showTextDocument(document, { preview: true });
  }
}

/** Show a part of an editor's text apart, with the cursor before it. */
function mark(editor: TextEditor, type: Parameters<TextEditor["setDecorations"]>[0], { text, start, end }: MarkedText): void {
  const [first, last] = [placeOf(text, start), placeOf(text, end)];
  const range = new Range(first.line, first.character, last.line, last.character);
  editor.setDecorations(type, [range]);
  editor.selection = new Selection(range.start, range.start);
  editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
}
