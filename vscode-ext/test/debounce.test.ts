import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Cancellation, debounced } from "../src/debounce";

class Token implements Cancellation {
  isCancellationRequested = false;
  readonly listeners = new Set<() => void>();

  onCancellationRequested(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.listeners]) {
      listener();
    }
  }
}

describe("debounced", () => {
  const token = new Token();

  beforeEach(() => {
    vi.useFakeTimers();
    token.isCancellationRequested = false;
  });

  afterEach(() => {
    expect(token.listeners.size, "listeners left behind").toBe(0);
    expect(vi.getTimerCount(), "timers left behind").toBe(0);
    vi.useRealTimers();
  });

  it("asks when the delay has passed, and not before", async () => {
    const ask = vi.fn(() => "text");
    const answer = debounced(75, token, ask);
    await vi.advanceTimersByTimeAsync(74);
    expect(ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe("text");
  });

  it("gives undefined at once and never asks when cancelled while waiting", async () => {
    const ask = vi.fn(() => "text");
    const answer = debounced(75, token, ask);
    await vi.advanceTimersByTimeAsync(74);
    token.cancel();
    expect(await answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ask).not.toHaveBeenCalled();
  });

  it.each([0, 75])("never asks with a token that was cancelled before (delay %i ms)", async (ms) => {
    const ask = vi.fn(() => "text");
    token.cancel();
    expect(await debounced(ms, token, ask)).toBeUndefined();
    expect(ask).not.toHaveBeenCalled();
  });

  it("asks without a timer when the delay is 0", async () => {
    expect(await debounced(0, token, () => Promise.resolve("text"))).toBe("text");
  });

  it("sends one request for a burst of keys, each of which cancels the one before", async () => {
    const asked: number[] = [];
    const tokens = [new Token(), new Token(), new Token()];
    const answers = [];
    for (const [key, each] of tokens.entries()) {
      tokens[key - 1]?.cancel();
      answers.push(debounced(75, each, () => asked.push(key)));
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(75);
    await Promise.all(answers);
    expect(asked).toEqual([2]);
  });

  it("passes on the failure of what it asked", async () => {
    await expect(debounced(0, token, () => Promise.reject(new Error("no model")))).rejects.toThrow("no model");
  });
});
