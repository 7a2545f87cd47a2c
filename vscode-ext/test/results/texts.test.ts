import { describe, expect, it } from "vitest";

import type { MomentView } from "../../src/results/records";
import { holeText, logText, momentText, placeOf, showsText } from "../../src/results/texts";

const view: MomentView = {
  record: {
    moment: { tape: "ledger", path: "a.py", language: "python", line: 1, character: 4, kind: "function", scenario: "full", truth: "return 1" },
    ending: { name: "rejected" },
    suggestion: { text: "pass\n    x", raw: "```pass", latency: 81.4, provider: "gguf", trail: [{ step: "prose", before: "```pass", after: "pass" }] },
    verdict: { name: "assertion", message: "assert 1 == 2", passed: 3, failed: 1, log: "E assert" },
  },
  then: "def f():\n    ",
  offset: 13,
  finished: "def f():\n    return 1\n",
  graft: "def f():\n    pass\n",
  hole: [13, 21],
  why: "",
};

describe("the texts of a moment", () => {
  it("shows the suggestion in the document at the cursor", () => {
    const { text, start, end } = momentText(view);
    expect(text).toBe("def f():\n    pass\n    x");
    expect(text.slice(start, end)).toBe("pass\n    x");
  });

  it("shows the document alone where nothing was suggested", () => {
    const nothing = momentText({ ...view, record: { ...view.record, suggestion: null } });
    expect(nothing).toEqual({ text: view.then, start: 13, end: 13 });
  });

  it("marks the hole in the finished document, if there is one", () => {
    const { text, start, end } = holeText(view) ?? { text: "", start: 0, end: 0 };
    expect(text.slice(start, end)).toBe("return 1");
    expect(holeText({ ...view, hole: null })).toBeUndefined();
  });

  it("tells ending, verdict, answer, repairs and log", () => {
    const log = logText(view);
    for (const part of ["a.py:2:5  function/full", "Ending: rejected", "Verdict: assertion: 3 passed, 1 failed\nassert 1 == 2", "gguf, 81 ms", "== Repair prose\npass", "E assert"]) {
      expect(log).toContain(part);
    }
    expect(logText({ ...view, record: { ...view.record, verdict: null }, why: "the tape has changed" })).toContain("not tested");
  });

  it.each([
    ["a\nb", 2, { line: 1, character: 0 }],
    ["a\r\nbc", 4, { line: 1, character: 1 }],
    ["a\rb", 3, { line: 1, character: 1 }],
    ["𝒳y", 3, { line: 0, character: 3 }],
  ])("counts lines and UTF-16 code units as editors do: %j", (text, offset, place) => {
    expect(placeOf(text, offset)).toEqual(place);
  });
});

describe("a text that an editor shows", () => {
  it("may have other line ends there, for an editor gives all lines the same", () => {
    expect(showsText("a = 1\r\nb = 2\r\nc", "a = 1\r\nb = 2\nc")).toBe(true);
    expect(showsText("a\nb", "a\rb")).toBe(true);
    expect(showsText("a\r\n\r\nb", "a\r\nb")).toBe(false);
    expect(showsText("a\nb ", "a\nb")).toBe(false);
  });
});
