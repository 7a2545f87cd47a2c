import { describe, expect, it } from "vitest";

import { nextSpeed, positionOf, type Scene, shownScene, SPEEDS } from "../../src/replaying/scene";

const scene: Scene = { tape: "ledger", path: "a.py", text: "x = )\n", start: 4, end: 4, t: 62_500, duration: 2_467_000, ghost: null };
const ghost = { text: "f(1))", start: 4, end: 5, state: "offered", reason: "" };

describe("a scene of a replay", () => {
  it("is the document alone where nothing is offered", () => {
    expect(shownScene(scene)).toMatchObject({ text: scene.text, start: 4, end: 4, note: "" });
  });

  it("has the ghost text behind what it would replace", () => {
    const { text, start, end, replaced } = shownScene({ ...scene, ghost });
    expect(text).toBe("x = )f(1))\n");
    expect(text.slice(start, end)).toBe("f(1))");
    expect(text.slice(start - replaced, start)).toBe(")");
  });

  it.each([
    ["asked", "", "offered", "asked"],
    ["offered", "", "offered", ""],
    ["accepted", "", "accepted", "accepted"],
    ["typed-through", "", "accepted", "typed-through"],
    ["rejected", "", "rejected", "rejected"],
    ["gated", "selection", "rejected", "gated (selection)"],
  ])("says how a moment goes: %s", (state, reason, looks, note) => {
    expect(shownScene({ ...scene, ghost: { ...ghost, state, reason } })).toMatchObject({ looks, note });
  });

  it("says where it is, and how fast it goes", () => {
    expect(positionOf(scene, 5, false)).toBe("ledger  1:02 of 41:07  ×5");
    expect(positionOf(scene, 5, true)).toBe("ledger  1:02 of 41:07  paused");
  });
});

it("goes faster and slower between its slowest and its fastest speed", () => {
  expect([nextSpeed(1, 1), nextSpeed(1, -1), nextSpeed(3, 1)]).toEqual([2, 0.5, 5]);
  expect([nextSpeed(1000, 1), nextSpeed(0.25, -1)]).toEqual([SPEEDS.at(-1), SPEEDS[0]]);
});
