import { expect, it } from "vitest";

import { Turn } from "../../src/results/turn";

it("lets one run go on at a time, and names the one that goes on", () => {
  const turn = new Turn();
  expect(turn.refusal()).toBeUndefined();
  const end = turn.begin("replay");
  expect(turn.refusal()).toBe("A replay is still running: wait for it, or cancel it.");
  expect(() => turn.begin("evaluation")).toThrow("A replay is still running");
  end();
  turn.begin("evaluation");
  expect(turn.refusal()).toContain("An evaluation is still running");
});
