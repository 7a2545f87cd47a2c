import { describe, expect, it } from "vitest";

import { type Answer, Flight, usable } from "../../src/typing/flights";
import type { TextChange } from "../../src/typing/offer";
import { policyOf } from "../../src/typing/policies/policy";
import { Shown } from "../../src/typing/shown";
import examples from "./flights.json" with { type: "json" };

type Change = readonly [start: number, end: number, text: string];

function answer(text: string): Answer<string> {
  return { items: text, text, cache: "none", after: (typed) => answer(text.slice(typed.length)) };
}

function changes(made: readonly unknown[][]): TextChange[] {
  return (made as unknown as Change[]).map(([start, end, text]) => ({ offset: start, length: end - start, text }));
}

describe("an answer that comes after some changes", () => {
  it.each(examples.answers)("is shown as in a replay: $policy $text $changes", (example) => {
    const flight = new Flight("a.py", example.offset);
    for (const made of example.changes) {
      flight.passOver("a.py", changes(made));
    }
    const visible = example.visible === null ? undefined : answer(example.visible);
    const shown = usable(flight, answer(example.text), policyOf(example.policy), visible);
    expect(shown?.text ?? null).toBe(example.shown);
  });

  it("covers every way that it can end", () => {
    const shown = examples.answers.map((example) => example.shown === null ? "nothing" : example.shown === example.visible ? "kept" : example.changes.length > 0 ? "rest" : "whole");
    expect(new Set(shown)).toEqual(new Set(["nothing", "kept", "rest", "whole"]));
  });
});

describe("a suggestion on the screen", () => {
  it.each(examples.typed)("is left there as in a replay: $text $changes", (example) => {
    const shown = new Shown<string>(policyOf("zed"), () => 0, () => undefined);
    shown.show("a.py", example.offset, answer(example.text));
    for (const made of example.changes) {
      shown.changed("a.py", changes(made));
    }
    expect(shown.in("a.py")?.text ?? null).toBe(example.left);
  });
});
