import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Answer } from "../../src/typing/flights";
import { policyOf } from "../../src/typing/policies/policy";
import { Shown } from "../../src/typing/shown";

function answer(text: string): Answer<string> {
  return { items: text, text, cache: "none", after: (typed) => answer(text.slice(typed.length)) };
}

/** A suggestion `text` at 7 under a policy, and what is decided about it. */
function suggested(policy: string): { shown: Shown<string>; decided: string[] } {
  const decided: string[] = [];
  const shown = new Shown<string>(policyOf(policy), () => Date.now(), (accepted) => void decided.push(accepted));
  shown.show("a.py", 7, answer("text"));
  return { shown, decided };
}

const write = (shown: Shown<string>, offset: number, text: string): string => shown.changed("a.py", [{ offset, length: 0, text }]);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("what is shown", () => {
  it("is rejected by Escape, once", () => {
    const { shown, decided } = suggested("vscode");
    shown.dismissed();
    shown.dismissed();
    expect(decided).toEqual([""]);
  });

  it("is rejected when something else is written, and accepted when it is written in one go", () => {
    const other = suggested("vscode");
    write(other.shown, 7, "x");
    expect(other.decided).toEqual([""]);
    const whole = suggested("vscode");
    expect(write(whole.shown, 7, "text")).toBe("text");
    expect(whole.decided).toEqual(["text"]);
  });

  it("is neither when it is typed to its end, or when the cursor goes elsewhere", () => {
    const { shown, decided } = suggested("vscode");
    ["t", "e", "x", "t"].forEach((key, at) => write(shown, 7 + at, key));
    shown.show("a.py", 11, answer("more"));
    shown.left();
    expect(decided).toEqual([]);
    expect(shown.in("a.py")).toBeUndefined();
  });

  it.each([
    [499, []],
    [500, [""]],
  ])("does not count under continue if a change removes it after %i ms", (after, expected) => {
    const { shown, decided } = suggested("continue");
    vi.advanceTimersByTime(after);
    write(shown, 7, "x");
    expect(decided).toEqual(expected);
  });

  it("counts as rejected under continue after ten seconds, once, and can still be accepted", () => {
    const { shown, decided } = suggested("continue");
    vi.advanceTimersByTime(9_999);
    expect(decided).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(decided).toEqual([""]);
    expect(write(shown, 7, "text")).toBe("text");
    expect(decided).toEqual(["", "text"]);
    const left = suggested("continue");
    vi.advanceTimersByTime(20_000);
    write(left.shown, 7, "x");
    left.shown.dismissed();
    expect(left.decided).toEqual([""]);
  });

  it("loses no patience while it is typed", () => {
    const { shown, decided } = suggested("continue");
    vi.advanceTimersByTime(6_000);
    write(shown, 7, "t");
    vi.advanceTimersByTime(6_000);
    expect(decided).toEqual([]);
  });
});
