import { describe, expect, it } from "vitest";

import { Snooze } from "../../src/typing/snooze";

describe("a snooze", () => {
  it("ends by itself", () => {
    const snooze = new Snooze();
    expect(snooze.left(5)).toBe(0);
    snooze.sleep(100);
    expect(snooze.left(40)).toBe(60);
    expect(snooze.left(100)).toBe(0);
  });

  it("can last until it is ended", () => {
    const snooze = new Snooze();
    snooze.sleep(Number.POSITIVE_INFINITY);
    expect(snooze.left(1e15)).toBe(Number.POSITIVE_INFINITY);
    snooze.wake();
    expect(snooze.left(0)).toBe(0);
  });
});
