import { describe, expect, it } from "vitest";

import { afterChange } from "../../src/typing/offer";

const offer = { key: "a.py", offset: 10, text: "return total\n" };

describe("a change after an offer", () => {
  it("accepts the whole text", () => {
    expect(afterChange(offer, { offset: 10, length: 0, text: "return total\n" })).toEqual({ accepted: "return total\n", taken: 13 });
  });

  it("accepts a word, and leaves the rest", () => {
    const after = afterChange(offer, { offset: 10, length: 0, text: "return" });
    expect(after).toEqual({ accepted: "return", taken: 6 });
  });

  it("is typing along when it is one character of it", () => {
    const after = afterChange(offer, { offset: 10, length: 0, text: "r" });
    expect(after).toEqual({ accepted: "", taken: 1 });
  });

  it("counts only what comes behind the cursor, where the accepted range begins before it", () => {
    const after = afterChange(offer, { offset: 8, length: 2, text: "  return total\n" });
    expect(after.accepted).toBe("return total\n");
  });

  it.each([
    { offset: 10, length: 0, text: "x" },
    { offset: 9, length: 1, text: "" },
    { offset: 40, length: 0, text: "return" },
  ])("ends it otherwise (%j)", (change) => {
    expect(afterChange(offer, change)).toEqual({ accepted: "", taken: 0 });
  });
});
