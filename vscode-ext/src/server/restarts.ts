/** A server that ran for so long (ms) is started again at once when it ends. */
const STEADY = 10_000;
const FIRST_WAIT = 100;
const LONGEST_WAIT = 30_000;
/** After so many quick ends in a row it is only started again when something is edited. */
const TIRELESS = 5;

/** When a server that ended is started again: after `wait` ms, and only once something was edited if `onEdit`. */
export interface Restart {
  readonly wait: number;
  readonly onEdit: boolean;
}

/**
 * How often a server that ends again and again is started: at once after it ran well, else after 0.1, 0.2, 0.4, … 30 s. It is
 * never given up: after five quick ends it waits for an edit besides, so that an editor nobody uses does not start it for ever.
 */
export class Restarts {
  #quickEnds = 0;
  #startedAt = Number.NEGATIVE_INFINITY;

  /** A server answers, at `now` ms. */
  started(now: number): void {
    this.#startedAt = now;
  }

  /** A server has ended, or could not be started, at `now` ms. */
  ended(now: number): Restart {
    const ranWell = now - this.#startedAt >= STEADY && this.#startedAt > Number.NEGATIVE_INFINITY;
    this.#startedAt = Number.NEGATIVE_INFINITY;
    this.#quickEnds = ranWell ? 0 : this.#quickEnds + 1;
    const wait = Math.min(FIRST_WAIT * 2 ** Math.max(this.#quickEnds - 1, 0), LONGEST_WAIT);
    return { wait: ranWell ? 0 : wait, onEdit: this.#quickEnds > TIRELESS };
  }

  /** The person asked for a new start: what was before does not count. */
  forget(): void {
    this.#quickEnds = 0;
  }
}
