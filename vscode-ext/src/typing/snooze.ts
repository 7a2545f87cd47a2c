/** Completions are not offered by themselves for a while. Times in ms. */
export class Snooze {
  #until = Number.NEGATIVE_INFINITY;

  /** Sleep until a time; `Infinity` is until `wake` is called. */
  sleep(until: number): void {
    this.#until = until;
  }

  wake(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** How long it sleeps on, in ms; 0 if it is awake. */
  left(now: number): number {
    return Math.max(this.#until - now, 0);
  }
}
