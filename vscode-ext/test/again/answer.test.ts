import { describe, expect, it } from "vitest";

import { type Answer, answerText, failureText, orderAt } from "../../src/again/answer";
import { offsetOf, placeOf, withoutGhost } from "../../src/results/texts";

const answer: Answer = {
  outcome: "shown",
  repaired: "return 2",
  raw: "```python\nreturn 2\n```",
  trail: [{ step: "prose", before: "```python\nreturn 2\n```", after: "return 2" }],
  provider: "openai",
  latency: 81.4,
  tokens: 12,
  range: { start: { line: 1, character: 4 }, end: { line: 1, character: 4 } },
};
const at = { line: 1, character: 4 };

describe("the order of a question", () => {
  const document = { uri: "file:///shop/a.py", languageId: "python", shown: undefined };
  const provider = { name: "openai", model: "big" };

  it("names the place of a document that the server has open, and no text", () => {
    expect(orderAt(document, at, provider)).toEqual({ textDocument: { uri: "file:///shop/a.py" }, position: at, provider });
  });

  it("has the text of a document that only the window has, without the ghost text in it", () => {
    const shown = { text: "def f():\n    return 1\n\nx = f()\n", start: 13, end: 21 };
    const order = orderAt({ ...document, uri: "ghosttape-replay:/a.py", shown }, { line: 3, character: 4 }, provider);
    expect(order.text).toBe("def f():\n    \n\nx = f()\n");
    expect(order.languageId).toBe("python");
    expect(order.position).toEqual({ line: 3, character: 4 });
  });
});

describe("a text without its ghost text", () => {
  const marked = { text: "a(b,\n c)\nd", start: 2, end: 7 };

  it.each([
    [{ line: 0, character: 1 }, { line: 0, character: 1 }],
    [{ line: 0, character: 2 }, { line: 0, character: 2 }],
    [{ line: 0, character: 4 }, { line: 0, character: 2 }],
    [{ line: 1, character: 1 }, { line: 0, character: 2 }],
    [{ line: 1, character: 3 }, { line: 0, character: 3 }],
    [{ line: 2, character: 1 }, { line: 1, character: 1 }],
  ])("has the place %j at %j", (place, moved) => {
    expect(withoutGhost(marked, place)).toEqual({ text: "a()\nd", place: moved });
  });

  it("is the text itself where nothing is marked", () => {
    expect(withoutGhost({ text: "a\r\nb", start: 0, end: 0 }, { line: 1, character: 1 })).toEqual({ text: "a\r\nb", place: { line: 1, character: 1 } });
  });
});

describe("the offset of a place", () => {
  it.each(["a\nb", "a\r\nbc\r\n", "a\rb\n\nc", "𝒳y\n", ""])("is that of which it is the place: %j", (text) => {
    for (let offset = 0; offset <= text.length; offset += 1) {
      if (text.slice(offset - 1, offset + 1) !== "\r\n") {
        expect(offsetOf(text, placeOf(text, offset))).toBe(offset);
      }
    }
  });

  it("past the end of a line is the line's end", () => {
    expect(offsetOf("ab\ncd", { line: 0, character: 9 })).toBe(2);
    expect(offsetOf("ab\ncd", { line: 9, character: 9 })).toBe(5);
  });
});

describe("the words of an answer", () => {
  it("tell place, provider, latency, what would be offered, what the model wrote, and each repair", () => {
    expect(answerText(answer, "a.py", at, "openai · big")).toBe(
      [
        "a.py:2:5  asked again: openai · big",
        "Answer after 81 ms, 12 tokens",
        "== What would be offered\nreturn 2",
        "== As the model wrote it\n```python\nreturn 2\n```",
        "== Repair prose\nreturn 2\n",
      ].join("\n\n"),
    );
  });

  it("say that no repair changed it, and what it replaces", () => {
    const range = { start: at, end: { line: 1, character: 5 } };
    const text = answerText({ ...answer, raw: "return 2", trail: [], tokens: 1, range }, "a.py", at, "x");
    expect(text).toContain("No repair changed it.");
    expect(text).toContain("81 ms, 1 token\n");
    expect(text).toContain("the place of 1 character behind the cursor");
  });

  it.each([
    [{ outcome: "empty", raw: "", repaired: "", trail: [] }, "the answer is empty", false],
    [{ outcome: "filtered", step: "repeats", repaired: "" }, "the repair repeats leaves nothing of it", true],
  ])("say why nothing would be offered: %j", (change, words, hasRaw) => {
    const text = answerText({ ...answer, ...change }, "a.py", at, "x");
    expect(text).toContain(words);
    expect(text).not.toContain("What would be offered");
    expect(text.includes("As the model wrote it")).toBe(hasRaw);
  });

  it("have the reason of a failure, and only of that", () => {
    expect(failureText({ ...answer, outcome: "failed", reason: "host:80 answered 401" }, "openai")).toBe("openai gave no answer: host:80 answered 401");
    expect(failureText(answer, "openai")).toBeUndefined();
  });
});
