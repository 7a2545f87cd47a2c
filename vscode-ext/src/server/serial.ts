/**
 * Make `run` safe to call at any time: runs never overlap, and all calls made during a run share one more run after it,
 * which sees what they saw. A failed run rejects for those who asked for it and does not stop later ones.
 */
export function serial(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let following: Promise<void> | undefined;
  return () => {
    following ??= current
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return (current = run());
      });
    return following;
  };
}
