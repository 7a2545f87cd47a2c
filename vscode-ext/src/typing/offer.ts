/** A change of a document: `length` characters at `offset` are replaced by `text` (UTF-16 code units). */
export interface TextChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** What is offered in a document at an offset. */
export interface Offer {
  readonly key: string;
  readonly offset: number;
  readonly text: string;
}

/** What a change makes of an offer. */
export interface Followed {
  /** The text that was accepted: more than one key writes. */
  readonly accepted: string;
  /** How much of the offer the change wrote, in UTF-16 code units; 0 if it wrote something else. */
  readonly taken: number;
}

/**
 * What a change makes of an offer.
 *
 * `("b", "ar")` is offered as `bar`: typing `b` takes one character; the change to `bar` in one go accepts it.
 */
export function afterChange(offer: Offer, change: TextChange): Followed {
  const isHere = change.offset <= offer.offset && change.text !== "";
  const typed = isHere ? change.text.slice(offer.offset - change.offset) : "";
  if (typed === "" || !offer.text.startsWith(typed)) {
    return { accepted: "", taken: 0 };
  }
  return { accepted: typed.length > 1 && typed.trim() !== "" ? typed : "", taken: typed.length };
}
