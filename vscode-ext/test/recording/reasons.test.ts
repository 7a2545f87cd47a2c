import { describe, expect, it } from "vitest";

import { ChangeReasons, type ChangeSigns, type Replacement, type Span } from "../../src/recording/reasons";

const FILE = "file:///w/a.py";

function span(line: number, start: number, end: number, lastLine = line): Span {
  return { start: { line, character: start }, end: { line: lastLine, character: end } };
}

function inserted(text: string, line = 0, character = 4): Replacement {
  return { span: span(line, character, character), length: 0, text };
}

function deleted(start: number, end: number, line = 0): Replacement {
  return { span: span(line, start, end), length: end - start, text: "" };
}

function signs(changes: readonly Replacement[], more: Partial<ChangeSigns> = {}): ChangeSigns {
  return { key: FILE, changes, now: 0, ...more };
}

describe("why a document changes", () => {
  it("is what VS Code says before all else", () => {
    const reasons = new ChangeReasons();
    reasons.begin("format", FILE, 0);
    expect(reasons.of(signs([inserted("x")], { told: "undo" }))).toBe("undo");
  });

  it("is not known of what is typed", () => {
    expect(new ChangeReasons().of(signs([inserted("x")], { cursors: [span(0, 4, 4)] }))).toBeUndefined();
  });

  it("is the command that runs, in its document and until it ends", () => {
    const reasons = new ChangeReasons();
    const end = reasons.begin("accept", FILE, 0);
    expect(reasons.of(signs([inserted("return")]))).toBe("accept");
    expect(reasons.of(signs([inserted("return")], { key: "file:///w/b.py" }))).toBeUndefined();
    end();
    expect(reasons.of(signs([inserted("return")]))).toBeUndefined();
  });

  it("is no command that never ended, such as a save that failed", () => {
    const reasons = new ChangeReasons();
    reasons.begin("format", FILE, 0);
    expect(reasons.of(signs([inserted("xyz")], { now: 9_999 }))).toBe("format");
    expect(reasons.of(signs([inserted("xyz")], { now: 10_001 }))).toBeUndefined();
  });

  it.each([
    ["a character", inserted("x"), span(0, 4, 4)],
    ["a pair", inserted("()"), span(0, 4, 4)],
    ["a line end with its indentation", inserted("\n    "), span(0, 4, 4)],
    ["a backspace", deleted(3, 4), span(0, 4, 4)],
    ["a character of a wide script", inserted("\u{1f600}"), span(0, 4, 4)],
  ])("is not formatting for %s at the cursor, while a save takes long or has failed", (_, change, cursor) => {
    const reasons = new ChangeReasons();
    reasons.begin("format", FILE, 0);
    expect(reasons.of(signs([change], { cursors: [cursor], now: 5_000 }))).toBeUndefined();
  });

  it.each([
    ["elsewhere", [inserted("\n", 9, 0)], [span(0, 4, 4)]],
    ["in a document without the focus", [inserted("\n")], undefined],
    ["that rewrites", [{ ...deleted(0, 4), text: "a = 1" }], [span(0, 4, 4)]],
    ["in more places than cursors", [inserted(" ", 0, 2), inserted(" ")], [span(0, 4, 4)]],
  ])("is formatting for a change %s", (_, changes, cursors) => {
    const reasons = new ChangeReasons();
    reasons.begin("format", FILE, 0);
    expect(reasons.of(signs(changes, { cursors, now: 100 }))).toBe("format");
  });
});

describe("a paste", () => {
  function pasting(text: string): ChangeReasons {
    const reasons = new ChangeReasons();
    reasons.pasting(FILE, text, 0);
    return reasons;
  }

  it.each([
    ["a + b", "a + b"],
    ["if x:\r\n  y()\r\n", "if x:\n    y()\n"],
  ])("of %j is the next change that writes it, also indented anew", (text, written) => {
    const reasons = pasting(text);
    expect(reasons.of(signs([inserted(written)], { now: 1500 }))).toBe("paste");
    expect(reasons.of(signs([inserted(written)], { now: 1600 })), "it is pasted once").toBeUndefined();
  });

  it("at several cursors writes it at each, or a line of it", () => {
    expect(pasting("ab").of(signs([inserted("ab", 1), inserted("ab")]))).toBe("paste");
    expect(pasting("a\nb").of(signs([inserted("b", 1), inserted("a")]))).toBe("paste");
  });

  it("is no other text, no other document, and none that came late", () => {
    expect(pasting("ab").of(signs([inserted("x")]))).toBeUndefined();
    expect(pasting("ab").of(signs([deleted(0, 2)], { cursors: [span(0, 0, 0, 9)] }))).toBeUndefined();
    expect(pasting("ab").of(signs([inserted("ab")], { key: "file:///w/b.py" }))).toBeUndefined();
    expect(pasting("ab").of(signs([inserted("ab")], { now: 2001 }))).toBeUndefined();
  });

  it("waits until what was typed meanwhile is through", () => {
    const reasons = pasting("ab");
    expect(reasons.of(signs([inserted("x")]))).toBeUndefined();
    expect(reasons.of(signs([inserted("ab")]))).toBe("paste");
  });
});

describe("a deletion", () => {
  it.each([
    ["a word beside the cursor", deleted(2, 6), span(0, 6, 6)],
    ["a word behind the cursor", deleted(2, 6), span(0, 2, 2)],
    ["a selection", deleted(2, 6), span(0, 2, 6)],
    ["the line around the cursor", { span: span(3, 0, 0, 4), length: 9, text: "" }, span(3, 5, 5)],
  ])("is one of %s", (_, change, cursor) => {
    expect(new ChangeReasons().of(signs([change], { cursors: [cursor] }))).toBe("delete");
  });

  it("at several cursors needs one at each", () => {
    const changes = [deleted(2, 6), deleted(2, 6, 1)];
    expect(new ChangeReasons().of(signs(changes, { cursors: [span(0, 6, 6), span(1, 6, 6)] }))).toBe("delete");
    expect(new ChangeReasons().of(signs(changes, { cursors: [span(0, 6, 6)] }))).toBeUndefined();
  });

  it.each([
    ["far from the cursor", deleted(2, 6), [span(5, 0, 0)]],
    ["without a cursor", deleted(2, 6), undefined],
    ["of one character, which is known anyway", deleted(2, 3), [span(0, 3, 3)]],
    ["of a part of the selection", deleted(2, 6), [span(0, 0, 6)]],
    ["that also writes", { ...deleted(2, 6), text: "x" }, [span(0, 2, 6)]],
  ])("is not known %s", (_, change, cursors) => {
    expect(new ChangeReasons().of(signs([change], { cursors }))).toBeUndefined();
  });
});
