import type { TextChange } from "./offer";
import type { Policy } from "./policies/tables";

/** Where the server had an answer from, as `ghosttape/explain` says it: `none` is the model. */
export type Cache = "none" | "prefix" | "typed" | "inflight";

/** What the server answered; `T` is what the editor is given. */
export interface Answer<T> {
  readonly items: T;
  /** What accepting the first item writes behind the cursor; empty for nothing. */
  readonly text: string;
  readonly cache: Cache;
  /** The same answer after its beginning was typed at its place, and the editor closed brackets or quotes behind it that are in the rest. */
  after(typed: string, closing?: string): Answer<T>;
}

/** A request under way, and what was typed at its place since; undefined where something else happened there. */
export class Flight {
  readonly key: string;
  readonly offset: number;
  #typed: string | undefined = "";
  #isStale = false;

  constructor(key: string, offset: number) {
    this.key = key;
    this.offset = offset;
  }

  /** The text has changed since it was sent. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Take in changes that were made in one go while it was under way. */
  passOver(key: string, changes: readonly TextChange[]): void {
    if (key !== this.key) {
      return;
    }
    this.#isStale = true;
    const [change, ...others] = changes;
    const isBehind = change?.offset === this.offset + (this.#typed ?? "").length && change.length === 0;
    this.#typed = this.#typed !== undefined && isBehind && others.length === 0 ? this.#typed + change.text : undefined;
  }

  /** The person went to another place. */
  strand(): void {
    this.#isStale = true;
    this.#typed = undefined;
  }

  /** What is left of an answer to show after what was typed meanwhile; undefined where it does not fit any more. */
  rest<T>(answer: Answer<T>, follows: boolean): Answer<T> | undefined {
    if (!this.#isStale) {
      return answer;
    }
    const typed = follows ? this.#typed : undefined;
    const fits = typed !== undefined && typed !== "" && answer.text.startsWith(typed) && answer.text !== typed;
    return fits ? answer.after(typed) : undefined;
  }
}

/** What of an answer is shown where `visible` is shown so far: its rest, or what is shown already, or nothing new. */
export function usable<T>(flight: Flight, answer: Answer<T>, policy: Policy, visible: Answer<T> | undefined): Answer<T> | undefined {
  const rest = flight.rest(answer, policy.follows);
  if (rest === undefined || rest.text === "" || Array.from(rest.text.trim()).length < policy.min_suggestion) {
    return undefined;
  }
  const isOther = policy.extends && visible !== undefined && !rest.text.startsWith(visible.text);
  return isOther ? visible : rest;
}
