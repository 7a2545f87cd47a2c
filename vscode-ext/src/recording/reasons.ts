/** Why a document changes, where the editor or a command of ours says it: the words of `ghosttape/hint`. */
export type ChangeReason = "accept" | "delete" | "format" | "paste" | "redo" | "undo";

/** A place in a text, as the editor counts: from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** From one place to another; in the text before the change. */
export interface Span {
  readonly start: Place;
  readonly end: Place;
}

/** A change of a document: what stood in `span` was replaced by `text`. */
export interface Replacement {
  readonly span: Span;
  readonly length: number;
  readonly text: string;
}

/** What the editor says of a change when it happens. */
export interface ChangeSigns {
  /** The document. */
  readonly key: string;
  readonly changes: readonly Replacement[];
  /** What VS Code says itself. */
  readonly told?: "undo" | "redo" | undefined;
  /** The cursors and selections of the document before the change; undefined if it does not have the focus. */
  readonly cursors?: readonly Span[] | undefined;
  /** Time in ms. */
  readonly now: number;
}

/** A paste shows in the document at once, but for what other providers take to prepare it. */
const PASTE_LASTS = 2000;
/** A command or save that says nothing more has failed. Keys are never formatting, also before that. */
const LONGEST = 10_000;

interface Running {
  readonly key: string;
  readonly reason: ChangeReason;
  readonly until: number;
}

/** Knows why a document changes: from VS Code, from the commands that run, and from what is pasted and deleted. */
export class ChangeReasons {
  readonly #running = new Set<Running>();
  #pasted: { readonly key: string; readonly text: string; readonly until: number } | undefined;

  /** Until the returned function is called, a document changes for this reason. */
  begin(reason: ChangeReason, key: string, now: number): () => void {
    const running = { key, reason, until: now + LONGEST };
    this.#running.add(running);
    return () => void this.#running.delete(running);
  }

  /** A text is about to be pasted into a document. */
  pasting(key: string, text: string, now: number): void {
    this.#pasted = { key, text: folded(text), until: now + PASTE_LASTS };
  }

  /** Why a document changed; undefined where nothing says it. Call it once for each change, in their order. */
  of(signs: ChangeSigns): ChangeReason | undefined {
    return signs.told ?? this.#byCommand(signs) ?? this.#byPaste(signs) ?? byCursors(signs);
  }

  #byCommand(signs: ChangeSigns): ChangeReason | undefined {
    const { key, now } = signs;
    const running = [...this.#running].findLast((each) => each.key === key && now <= each.until);
    return running?.reason === "format" && isKey(signs) ? undefined : running?.reason;
  }

  #byPaste({ key, now, changes }: ChangeSigns): ChangeReason | undefined {
    const pasted = this.#pasted;
    if (pasted?.key !== key || now > pasted.until || !changes.some(({ text }) => text !== "")) {
      return undefined;
    }
    const all = folded(changes.map(({ text }) => text).reverse().join("\n"));
    const isIt = all === pasted.text || changes.every(({ text }) => folded(text) === pasted.text);
    this.#pasted = isIt ? undefined : pasted;
    return isIt ? "paste" : undefined;
  }
}

/**
 * Whether one key can have made a change: it writes one character, a pair, or a line end with its indentation, or deletes one character,
 * at each cursor. A save or formatter that fails, or takes long, does not make keys formatting.
 */
function isKey({ changes, cursors }: ChangeSigns): boolean {
  return (
    cursors?.length === changes.length &&
    changes.every(({ span, length, text }) => {
      const isTyped = length === 0 && /^(?:.|[([{"'`<].|\r?\n[ \t]*|[ \t]+)$/su.test(text);
      const isDeleted = text === "" && length === 1;
      return (isTyped || isDeleted) && cursors.some((cursor) => contains(span, cursor) || contains(cursor, span));
    })
  );
}

/** Deleting a selection, or what lies beside or around a cursor. One character needs no reason: everyone recognises that key. */
function byCursors({ changes, cursors }: ChangeSigns): "delete" | undefined {
  const areDeletions = changes.length > 0 && changes.every(({ text, length }) => text === "" && length > 0);
  if (!areDeletions || cursors?.length !== changes.length || changes.every(({ length }) => length === 1)) {
    return undefined;
  }
  return changes.every(({ span }) => cursors.some((cursor) => contains(span, cursor))) ? "delete" : undefined;
}

function contains(outer: Span, inner: Span): boolean {
  return !isBefore(inner.start, outer.start) && !isBefore(outer.end, inner.end);
}

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

/** A text as it is compared: editors change line ends and indentation when they paste. */
function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
