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

/**
 * What a change makes of an offer: text that was accepted (more than one key writes), and what is left of the offer.
 *
 * `("b", "ar")` is offered as `bar`: typing `b` leaves `ar`; the change to `bar` in one go accepts it.
 */
export function afterChange(offer: Offer, change: TextChange): { readonly accepted: string; readonly rest: Offer | undefined } {
  const isHere = change.offset <= offer.offset && change.text !== "";
  const typed = isHere ? change.text.slice(offer.offset - change.offset) : "";
  if (typed === "" || !offer.text.startsWith(typed)) {
    return { accepted: "", rest: undefined };
  }
  const text = offer.text.slice(typed.length);
  const rest = text === "" ? undefined : { ...offer, offset: offer.offset + typed.length, text };
  return { accepted: typed.length > 1 && typed.trim() !== "" ? typed : "", rest };
}
