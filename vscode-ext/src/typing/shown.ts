import type { Answer } from "./flights";
import { afterChange, isVisible, type TextChange } from "./offer";
import type { Policy } from "./policies/tables";

interface Suggestion<T> {
  readonly key: string;
  readonly offset: number;
  readonly answer: Answer<T>;
  /** What the editor closed behind the offset while it was typed. */
  readonly closing: string;
  readonly since: number;
  /** It counts as rejected already, as it was shown for so long. */
  readonly isRejected: boolean;
}

/** What the editor shows, and what the person does with it; `decided` is told the accepted text, or an empty one for a rejection. */
export class Shown<T> {
  readonly #policy: Policy;
  readonly #now: () => number;
  readonly #decided: (accepted: string) => void;
  #suggestion: Suggestion<T> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(policy: Policy, now: () => number, decided: (accepted: string) => void) {
    this.#policy = policy;
    this.#now = now;
    this.#decided = decided;
  }

  /** What is shown in a document now. */
  in(key: string): Answer<T> | undefined {
    return this.#suggestion?.key === key ? this.#suggestion.answer : undefined;
  }

  /** The editor is given an answer at an offset. */
  show(key: string, offset: number, answer: Answer<T>): void {
    const before = this.#suggestion;
    if (before?.key === key && before.offset === offset && before.answer.text === answer.text) {
      return;
    }
    this.#clear();
    this.#suggestion = { key, offset, answer, closing: "", since: this.#now(), isRejected: false };
    if (this.#policy.patience > 0) {
      this.#patience = setTimeout(() => {
        this.#outlasted();
      }, this.#policy.patience);
    }
  }

  /** Take in changes that were made in one go: the text that they accept, if they do. */
  changed(key: string, changes: readonly TextChange[]): string {
    const suggestion = this.#suggestion;
    if (suggestion?.key !== key) {
      return "";
    }
    this.#clear();
    const [change, ...others] = changes;
    const isOne = change !== undefined && others.length === 0;
    const { text } = suggestion.answer;
    const { accepted, taken, closing } = isOne ? afterChange({ ...suggestion, text }, change) : NOTHING;
    this.#tell(suggestion, accepted, taken);
    if (taken > 0 && isVisible(text.slice(taken), closing)) {
      const answer = suggestion.answer.after(text.slice(0, taken), closing);
      this.#suggestion = { ...suggestion, offset: suggestion.offset + taken, answer, closing };
    }
    return accepted;
  }

  #tell({ since, isRejected }: Suggestion<T>, accepted: string, taken: number): void {
    const isHardlySeen = this.#now() - since < this.#policy.seen;
    if (accepted !== "" || (taken === 0 && !isRejected && !isHardlySeen)) {
      this.#decided(accepted);
    }
  }

  /** The person pressed Escape: what is shown is rejected. */
  dismissed(): void {
    const suggestion = this.#suggestion;
    this.#clear();
    if (suggestion?.isRejected === false) {
      this.#decided("");
    }
  }

  /** It is gone without a decision: the cursor went elsewhere. */
  left(): void {
    this.#clear();
  }

  #outlasted(): void {
    if (this.#suggestion !== undefined) {
      this.#suggestion = { ...this.#suggestion, isRejected: true };
      this.#decided("");
    }
  }

  #clear(): void {
    clearTimeout(this.#patience);
    this.#suggestion = undefined;
  }
}

const NOTHING = { accepted: "", taken: 0, closing: "" };
