import { type TextDocument, type TextDocumentChangeEvent, TextDocumentChangeReason, window } from "vscode";

import type { TextChange } from "./offer";
import type { Situation } from "./pacing";

/** The only change of an event; undefined if there are several, at several cursors. */
export function onlyChange({ contentChanges }: TextDocumentChangeEvent): TextChange | undefined {
  const [change, ...others] = contentChanges;
  return change === undefined || others.length > 0
    ? undefined
    : { offset: change.rangeOffset, length: change.rangeLength, text: change.text };
}

/** A change as a policy sees it; the cursor is taken to be behind the first text that was put in, as in a replay. */
export function situationOf(event: TextDocumentChangeEvent, now: number, accepted: string): Situation {
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
    reason: accepted === "" ? reasonOf(event.reason) : "accept",
    focused: isFocused,
    cursors: Math.max(isFocused ? editor.selections.length : 1, contentChanges.length),
    changed: contentChanges.some((change) => change.text !== "" || change.rangeLength > 0),
    moved: false,
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

function reasonOf(reason: TextDocumentChangeReason | undefined): string | null {
  return reason === undefined ? null : reason === TextDocumentChangeReason.Undo ? "undo" : "redo";
}
