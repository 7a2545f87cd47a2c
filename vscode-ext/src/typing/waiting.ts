/** The part of an editor's cancellation token that waiting needs. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

/** A cancellation that its owner requests. */
export class Cancelling implements Cancellation {
  readonly #listeners = new Set<() => void>();
  isCancellationRequested = false;

  onCancellationRequested(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }
}

/** Wait `ms` milliseconds, or until cancelled. */
export async function pause(ms: number, cancellation: Cancellation): Promise<void> {
  if (ms <= 0 || cancellation.isCancellationRequested) {
    return;
  }
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    };
    const timer = setTimeout(finish, ms);
    const subscription = cancellation.onCancellationRequested(finish);
  });
}
