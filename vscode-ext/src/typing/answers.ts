import { InlineCompletionItem, type Position, Range, type TextDocument } from "vscode";

import type { Answer, Cache } from "./flights";

export type Items = InlineCompletionItem[];

/** An answer of the server to a question at a position, as the policies read it. */
export function answerOf(document: TextDocument, position: Position, items: Items, cache: Cache): Answer<Items> {
  const [item] = items;
  const whole = insertedText(item);
  const left = item?.range === undefined ? "" : document.getText(new Range(item.range.start, position));
  const replaced = item?.range === undefined ? 0 : Math.max(item.range.end.character - position.character, 0);
  return madeOf(items, { position, replaced }, whole.startsWith(left) ? whole.slice(left.length) : whole, cache);
}

/** The text that an item inserts; empty without one. */
export function insertedText(item: InlineCompletionItem | undefined): string {
  return item === undefined ? "" : typeof item.insertText === "string" ? item.insertText : item.insertText.value;
}

/** Where an answer is put in, and how many characters behind that it takes the place of. */
interface Spot {
  readonly position: Position;
  readonly replaced: number;
}

function madeOf(items: Items, { position, replaced }: Spot, text: string, cache: Cache): Answer<Items> {
  const after = (typed: string, closing = ""): Answer<Items> => {
    const here = behind(position, typed);
    const range = new Range(here, here.translate(0, replaced + closing.length));
    const rest = new InlineCompletionItem(text.slice(typed.length), range, items[0]?.command);
    return madeOf([rest], { position: here, replaced }, text.slice(typed.length), "typed");
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
