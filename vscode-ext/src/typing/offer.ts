/** A change of a document: `length` characters at `offset` are replaced by `text` (UTF-16 code units). */
export interface TextChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** What is offered in a document at an offset. `closing` stands behind the offset and in the text: the editor closed a bracket or quote. */
export interface Offer {
  readonly offset: number;
  readonly text: string;
  readonly closing: string;
}

/** What a change makes of an offer. */
export interface Followed {
  /** The text that was accepted: more than one key writes. */
  readonly accepted: string;
  /** How much of the offer stands before the cursor now, in UTF-16 code units; 0 if the change wrote something else. */
  readonly taken: number;
  /** What the editor closed behind the cursor, by then. */
  readonly closing: string;
}

/** What one key writes where the editor closes brackets and quotes. */
const PAIRS = new Set(["()", "[]", "{}", "<>", '""', "''", "``"]);

const NOTHING: Followed = { accepted: "", taken: 0, closing: "" };

/**
 * What a change makes of an offer, as `replay/tapes/typing_along.py` says it.
 *
 * `("b", "ar")` is offered as `bar`: typing `b` takes one character; the change to `bar` in one go accepts it. Of `(a, b)` a key that writes `()` takes
 * one character, and closes with `)`.
 */
export function afterChange(offer: Offer, change: TextChange): Followed {
  const from = change.offset - offer.offset;
  const over = Math.max(from, 0); // what was closed may be typed over
  if (over > offer.closing.length || !offer.text.startsWith(offer.closing.slice(0, over))) {
    return NOTHING;
  }
  const text = offer.text.slice(over);
  const typed = change.text.slice(Math.max(-from, 0));
  const closing = offer.closing.slice(Math.max(from + change.length, over));
  if (typed !== "" && text.startsWith(typed)) {
    const isKey = typed.length === 1 || typed.trim() === "" || PAIRS.has(typed);
    return { accepted: isKey ? "" : typed, taken: over + typed.length, closing };
  }
  const isOpened = PAIRS.has(typed) && text.startsWith(typed.slice(0, 1));
  return isOpened ? { accepted: "", taken: over + 1, closing: typed.slice(1) + closing } : NOTHING;
}

/** Whether the editor can still show what is left to type: ghost text adds to what stands there, and takes nothing away. */
export function isVisible(text: string, closing: string): boolean {
  let from = 0;
  for (const letter of closing) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) {
      return false;
    }
  }
  return text !== "" && text !== closing;
}
