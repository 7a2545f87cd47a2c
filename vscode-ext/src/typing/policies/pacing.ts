import type { Cache } from "../flights";
import type { Adaptive, Backoff, Policy } from "./tables";

/** A change or a move as a policy sees it; `left` and `right` are the parts of the cursor's line. Offsets in UTF-16 code units. */
export interface Situation {
  /** Time in ms. */
  readonly now: number;
  readonly path: string;
  readonly line: number;
  readonly left: string;
  readonly right: string;
  /** Characters of the document left and right of the cursor. */
  readonly before: number;
  readonly after: number;
  /** No word character stands right of the cursor. */
  readonly wordless: boolean;
  /** What was written. */
  readonly typed: string;
  readonly reason: string | null;
  readonly focused: boolean;
  readonly cursors: number;
  readonly changed: boolean;
  /** It is no change: only the cursor went somewhere else. */
  readonly moved: boolean;
}

const WORD = /\w/;

/**
 * One policy during one session: whether and when it asks. The same rules as `replay/play/policies/pacing.py`, with which
 * `test/typing/policies/pacing.json` compares them. Pure: told the time by its caller.
 */
export class Pacer {
  readonly policy: Policy;
  readonly #gaps: number[] = [];
  readonly #responses: number[] = [];
  readonly #decisions: (readonly [at: number, weight: number])[] = [];
  readonly #edited = new Map<string, number>();
  readonly #lines = new Map<string, Map<number, number>>();
  #changed = Number.NEGATIVE_INFINITY;
  #asked = Number.NEGATIVE_INFINITY;
  #kept = Number.NEGATIVE_INFINITY;
  #rejected = Number.NEGATIVE_INFINITY;
  #wanted = Number.NEGATIVE_INFINITY;
  #mean: number;
  #begun = "";
  #begins = false;
  #accepted = "";

  constructor(policy: Policy) {
    this.policy = policy;
    this.#mean = policy.adaptive?.first ?? 0;
  }

  /** Why a change or a move is not followed by a request at all, or an empty text. Call it once for each, in their order. */
  gate(situation: Situation): string {
    const { reason, path, now } = situation;
    if (reason !== null && this.policy.ignores.includes(reason)) {
      return reason;
    }
    if (!situation.moved) {
      if (!situation.changed) {
        return "no change";
      }
      this.#edited.set(path, now);
      this.#lines.set(path, new Map([[situation.line, now]]));
    }
    if (!situation.focused) {
      return "not focused";
    }
    return this.#byCursor(situation) || this.#byAccept(situation) || this.#byMove(situation);
  }

  #byCursor({ cursors, before, after, left, right }: Situation): string {
    const { policy } = this;
    if (policy.one_cursor && cursors > 1) {
      return "several cursors";
    }
    if (!policy.empty && before + after === 0) {
      return "empty document";
    }
    if (before + after < policy.min_prompt) {
      return "too little text";
    }
    if (policy.right !== "" && !new RegExp(policy.right).test(right)) {
      return "text right of the cursor";
    }
    return policy.left_not !== "" && new RegExp(policy.left_not).test(left) ? "the line is finished" : "";
  }

  #byAccept({ reason, typed }: Situation): string {
    const isOneLine = !(typed || this.#accepted).includes("\n");
    return this.policy.not_after_accept && reason === "accept" && isOneLine ? "just accepted" : "";
  }

  #byMove({ moved, now, path, line }: Situation): string {
    if (!moved) {
      return "";
    }
    if (now - this.#rejected < this.policy.rejection_cooldown) {
      this.#edited.delete(path);
      return "just rejected";
    }
    if (this.policy.fresh !== 0 && now - (this.#edited.get(path) ?? Number.NEGATIVE_INFINITY) >= this.policy.fresh) {
      return "the change lies too far back";
    }
    return this.#sameLine(now, path, line) ? "same line" : "";
  }

  #sameLine(now: number, path: string, line: number): boolean {
    const lines = this.#lines.get(path) ?? new Map<number, number>();
    this.#lines.set(path, lines);
    if (now - (lines.get(line) ?? Number.NEGATIVE_INFINITY) < this.policy.line_cooldown) {
      return true;
    }
    lines.set(line, now);
    return false;
  }

  /** How long after a change or a move it asks, if nothing changes until then (ms). Call it once, after `gate`. */
  delay(situation: Situation, accepted = false): number {
    const { policy } = this;
    this.#wanted = situation.now;
    this.#learn(situation.now);
    this.#begins = this.#beginsLine(situation);
    if (accepted && policy.after_accept !== null) {
      return policy.after_accept;
    }
    if (this.#begins && policy.line_start !== null) {
      return policy.line_start;
    }
    const wait = policy.adaptive === null ? policy.debounce : this.#adapted(policy.adaptive, situation);
    const least = policy.backoff === null ? wait : Math.min(wait, this.#backedOff(policy.backoff, situation.now));
    return least + (situation.right.trim() === "" ? policy.line_end : 0);
  }

  #beginsLine({ path, line, left }: Situation): boolean {
    const here = `${String(line)} ${path}`;
    const begins = this.policy.line_start !== null && left.trim() === "" && here !== this.#begun;
    if (begins) {
      this.#begun = here;
    }
    return begins;
  }

  #learn(now: number): void {
    const { adaptive } = this.policy;
    const gap = now - this.#changed;
    this.#changed = now;
    if (adaptive === null || gap > adaptive.gap_max) {
      return;
    }
    keep(this.#gaps, gap, adaptive.samples_max);
    if (this.#gaps.length > adaptive.samples_min) {
      this.#mean = within(mean(this.#gaps), adaptive.gap_min, adaptive.gap_max);
    }
  }

  #adapted(adaptive: Adaptive, { left, right, after, wordless }: Situation): number {
    let score = WORD.test(left.slice(-1)) ? 0 : adaptive.non_word;
    score += WORD.test(right) ? 0 : adaptive.line_end;
    score += wordless || after === 0 ? adaptive.document_end : 0;
    const rate = adaptive.rate_max - (adaptive.rate_max - adaptive.rate_min) * Math.min(score, 1);
    const response = this.#responses.length > 0 ? mean(this.#responses) : 0;
    return within(rate * this.#mean - response, adaptive.min, adaptive.max);
  }

  /** How long after a change nothing is shown (ms), by the decisions so far. */
  #backedOff(backoff: Backoff, now: number): number {
    const weights = this.#decisions
      .filter(([at]) => now - at <= backoff.decay)
      .map(([at, weight]) => 1 + (weight - 1) * Math.exp((at - now) / backoff.decay));
    const factor = weights.reduce((product, weight) => product * weight, 1);
    return within(this.policy.debounce * factor, backoff.min, backoff.max);
  }

  /** When a request that was wanted at a time may be sent: the throttle's word. */
  due(wanted: number): number {
    return this.policy.throttle > 0 ? Math.max(wanted, this.#asked + this.policy.throttle) : wanted;
  }

  /**
   * How many ms after a request that is sent now its answer is shown, if it comes after `latency` ms.
   *
   * `cache` says where the server had it from; what is typed as suggested is never held back.
   */
  held(now: number, latency: number, cache: Cache = "none"): number {
    const { hold, backoff, cached } = this.policy;
    if (cache === "typed") {
      return latency;
    }
    const isNew = cache === "none";
    const wait = isNew ? (backoff === null ? undefined : this.#backedOff(backoff, now)) : cached;
    return Math.max(latency, hold, wait === undefined ? 0 : this.#wanted + wait - now);
  }

  /** A request is sent: whether it is one that is not given up. */
  asked(now: number): boolean {
    this.#asked = now;
    const begins = this.#begins;
    this.#begins = false;
    const isKept = this.policy.keeps_every > 0 && (begins || now - this.#kept > this.policy.keeps_every);
    this.#kept = isKept ? now : this.#kept;
    return isKept;
  }

  /** An answer came after so many ms, not from a cache. */
  answered(latency: number): void {
    keep(this.#responses, latency, this.policy.adaptive?.responses ?? 0);
  }

  /** The person accepted a text, or rejected what was shown (an empty text). */
  decided(now: number, accepted: string): void {
    this.#accepted = accepted;
    this.#rejected = accepted === "" ? now : this.#rejected;
    const { backoff } = this.policy;
    if (backoff !== null) {
      keep(this.#decisions, [now, accepted === "" ? backoff.rejected : backoff.accepted], backoff.actions);
    }
  }
}

/** Put a value behind the others, of which the last `most` stay. */
function keep<T>(values: T[], value: T, most: number): void {
  values.push(value);
  values.splice(0, Math.max(values.length - most, 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
