/** The part of an editor's cancellation token that waiting needs. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

/** Call `ask` after `ms` milliseconds, or give `undefined` without calling it if cancelled by then. */
export async function debounced<T>(
  ms: number,
  cancellation: Cancellation,
  ask: () => T,
): Promise<Awaited<T> | undefined> {
  if (ms > 0) {
    await pause(ms, cancellation);
  }
  return cancellation.isCancellationRequested ? undefined : await ask();
}

/** Wait `ms` milliseconds, or until cancelled. */
async function pause(ms: number, cancellation: Cancellation): Promise<void> {
  if (cancellation.isCancellationRequested) {
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
