import { type TextDocument, type TextDocumentChangeEvent, type TextEditor, window } from "vscode";

import type { ChangeReason } from "../recording/reasons";
import type { TextChange } from "./offer";
import type { Situation } from "./policies/pacing";

/** The changes of an event, all against the text before it. */
export function changesOf({ contentChanges }: TextDocumentChangeEvent): readonly TextChange[] {
  return contentChanges.map(({ rangeOffset, rangeLength, text }) => ({ offset: rangeOffset, length: rangeLength, text }));
}

/** A change as a policy sees it; the cursor is taken to be behind the first text that was put in, as in a replay. */
export function situationOf(event: TextDocumentChangeEvent, now: number, reason: ChangeReason | undefined): Situation {
  const { document, contentChanges } = event;
  const first = [...contentChanges].sort((one, other) => one.rangeOffset - other.rangeOffset)[0];
  const offset = first === undefined ? 0 : first.rangeOffset + first.text.length;
  const editor = window.activeTextEditor;
  const isFocused = editor?.document === document;
  return {
    ...around(document, offset),
    now,
    path: document.uri.toString(),
    typed: first?.text ?? "",
    reason: reason ?? null,
    focused: isFocused,
    cursors: Math.max(isFocused ? editor.selections.length : 1, contentChanges.length),
    changed: contentChanges.some((change) => change.text !== "" || change.rangeLength > 0),
    moved: false,
  };
}

/** A move of the cursor, as a policy sees it. */
export function movedTo({ document, selections, selection }: TextEditor, now: number): Situation {
  return {
    ...around(document, document.offsetAt(selection.active)),
    now,
    path: document.uri.toString(),
    typed: "",
    reason: null,
    focused: true,
    cursors: selections.length,
    changed: false,
    moved: true,
  };
}

type Around = Pick<Situation, "line" | "left" | "right" | "before" | "after" | "wordless">;

function around(document: TextDocument, offset: number): Around {
  const text = document.getText();
  const { line, character } = document.positionAt(offset);
  const content = document.lineAt(line).text;
  return {
    line,
    left: content.slice(0, character),
    right: content.slice(character),
    before: offset,
    after: text.length - offset,
    wordless: !/\w/.test(text.slice(offset)),
  };
}
