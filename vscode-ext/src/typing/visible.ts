import { type InlineCompletionContext, Range, type TextDocument } from "vscode";

import { insertedText, type Items } from "./answers";

/** To the next of several completions, or to the previous one. */
export type Turn = 1 | -1;

/**
 * What VS Code shows of the completions that it is given: last the one on the screen, before it those that can be chosen in its place.
 *
 * Several were asked for to show the next (`turn` 1) or the previous one (-1), which is the last. While a list of suggestions is open, only what
 * begins with the selected one is shown (`_computeAugmentation` in VS Code's inlineCompletionsModel.ts).
 */
export function onScreen(items: Items, turn: Turn | 0, document: TextDocument, context: InlineCompletionContext): Items {
  const selected = context.selectedCompletionInfo;
  const fitting = selected === undefined ? items : items.filter((item) => textFrom(item, selected.range.start, document).startsWith(selected.text));
  const at = turn === 1 ? Math.min(1, fitting.length - 1) : turn === -1 ? fitting.length - 1 : 0;
  return [...fitting.slice(at + 1), ...fitting.slice(0, at), ...fitting.slice(at, at + 1)];
}

/** What stands from a position on once an item is accepted, up to its end. */
function textFrom(item: Items[number], start: Range["start"], document: TextDocument): string {
  const before = item.range?.start.isAfter(start) === true ? document.getText(new Range(start, item.range.start)) : "";
  return before + insertedText(item);
}
