import { InlineCompletionItem, type Position, Range, type TextDocument } from "vscode";

import type { Answer, Cache } from "./flights";

export type Items = InlineCompletionItem[];

/** An answer of the server to a question at a position, as the policies read it. */
export function answerOf(document: TextDocument, position: Position, items: Items, cache: Cache): Answer<Items> {
  const [item] = items;
  const whole = insertedText(item);
  const left = item?.range === undefined ? "" : document.getText(new Range(item.range.start, position));
  return madeOf(items, position, whole.startsWith(left) ? whole.slice(left.length) : whole, cache);
}

/** The text that an item inserts; empty without one. */
export function insertedText(item: InlineCompletionItem | undefined): string {
  return item === undefined ? "" : typeof item.insertText === "string" ? item.insertText : item.insertText.value;
}

function madeOf(items: Items, position: Position, text: string, cache: Cache): Answer<Items> {
  const after = (typed: string): Answer<Items> => {
    const here = behind(position, typed);
    const replaced = items[0]?.range === undefined ? 0 : Math.max(items[0].range.end.character - position.character, 0);
    const rest = new InlineCompletionItem(text.slice(typed.length), new Range(here, here.translate(0, replaced)), items[0]?.command);
    return madeOf([rest], here, text.slice(typed.length), "typed");
  };
  return { items, text, cache, after };
}

/** The position behind a text that was typed at a position. */
function behind(position: Position, typed: string): Position {
  const lines = typed.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? "";
  const character = lines.length > 1 ? last.length : position.character + last.length;
  return position.with(position.line + lines.length - 1, character);
}
