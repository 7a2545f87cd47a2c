import { describe, expect, it } from "vitest";

import { afterChange, isVisible } from "../../src/typing/offer";

const offer = { offset: 10, text: "return total\n", closing: "" };

describe("a change after an offer", () => {
  it("accepts the whole text", () => {
    expect(afterChange(offer, { offset: 10, length: 0, text: "return total\n" })).toEqual({ accepted: "return total\n", taken: 13, closing: "" });
  });

  it("accepts a word, and leaves the rest", () => {
    const after = afterChange(offer, { offset: 10, length: 0, text: "return" });
    expect(after).toEqual({ accepted: "return", taken: 6, closing: "" });
  });

  it("is typing along when it is one character of it", () => {
    const after = afterChange(offer, { offset: 10, length: 0, text: "r" });
    expect(after).toEqual({ accepted: "", taken: 1, closing: "" });
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
    expect(afterChange(offer, change)).toEqual({ accepted: "", taken: 0, closing: "" });
  });

  it("is typing along when a key writes a bracket and the editor closes it, which may be typed over", () => {
    const call = { offset: 10, text: "(a, b)[0]", closing: "" };
    expect(afterChange(call, { offset: 10, length: 0, text: "()" })).toEqual({ accepted: "", taken: 1, closing: ")" });
    const open = { offset: 11, text: "a, b)[0]", closing: ")" };
    expect(afterChange(open, { offset: 11, length: 0, text: "a" })).toEqual({ accepted: "", taken: 1, closing: ")" });
    expect(afterChange(open, { offset: 11, length: 1, text: "a, b)[0]" })).toEqual({ accepted: "a, b)[0]", taken: 8, closing: "" });
    expect(afterChange({ offset: 15, text: ")[0]", closing: ")" }, { offset: 15, length: 1, text: ")" })).toEqual({ accepted: "", taken: 1, closing: "" });
    expect(afterChange({ offset: 15, text: ")[0]", closing: ")" }, { offset: 16, length: 0, text: "[]" })).toEqual({ accepted: "", taken: 2, closing: "]" });
    expect(afterChange(open, { offset: 12, length: 0, text: "[" })).toEqual({ accepted: "", taken: 0, closing: "" });
  });

  it("leaves ghost text only where the closed brackets are in the rest, in their order", () => {
    expect(isVisible("a, b)", ")")).toBe(true);
    expect(isVisible("a)[0]", "])")).toBe(false);
    expect(isVisible("a, b", ")")).toBe(false);
    expect(isVisible(")", ")")).toBe(false);
  });
});
