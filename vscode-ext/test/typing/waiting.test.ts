import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Cancelling, pause } from "../../src/typing/waiting";

describe("pause", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    expect(vi.getTimerCount(), "timers left behind").toBe(0);
    vi.useRealTimers();
  });

  async function endsAfter(ms: number, cancellation: Cancelling): Promise<() => boolean> {
    let ended = false;
    void pause(ms, cancellation).then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(0);
    return () => ended;
  }

  it("ends when the time has passed, and not before", async () => {
    const ended = await endsAfter(75, new Cancelling());
    await vi.advanceTimersByTimeAsync(74);
    expect(ended()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended()).toBe(true);
  });

  it("ends at once when it is cancelled, and leaves no timer", async () => {
    const cancelling = new Cancelling();
    const ended = await endsAfter(75, cancelling);
    cancelling.cancel();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended()).toBe(true);
  });

  it("does not begin when there is nothing to wait for, or it is cancelled already", async () => {
    expect((await endsAfter(0, new Cancelling()))()).toBe(true);
    const cancelled = new Cancelling();
    cancelled.cancel();
    expect((await endsAfter(75, cancelled))()).toBe(true);
  });

  it("tells each listener of a cancellation but those that left", () => {
    const cancelling = new Cancelling();
    const told: string[] = [];
    cancelling.onCancellationRequested(() => told.push("stays"));
    cancelling.onCancellationRequested(() => told.push("left")).dispose();
    cancelling.cancel();
    expect(told).toEqual(["stays"]);
    expect(cancelling.isCancellationRequested).toBe(true);
  });
});
