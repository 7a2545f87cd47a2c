import { describe, expect, it } from "vitest";

import type { Cache } from "../../../src/typing/flights";
import { Pacer, type Situation } from "../../../src/typing/policies/pacing";
import { policyOf } from "../../../src/typing/policies/policy";
import sessions from "./pacing.json" with { type: "json" };

interface Step {
  readonly situation: Partial<Situation>;
  readonly gate: string;
  readonly accepted?: boolean;
  readonly delay?: number;
  readonly due?: number;
  readonly latency?: number;
  readonly cache?: Cache;
  readonly kept?: boolean;
  readonly held?: number;
  readonly decided?: string;
}

const DEFAULTS = { wordless: false, typed: "", reason: null, focused: true, cursors: 1, changed: true, moved: false };

function follow(pacer: Pacer, step: Step): void {
  const situation = { ...DEFAULTS, ...step.situation } as Situation;
  expect(pacer.gate(situation)).toBe(step.gate);
  if (step.gate === "") {
    const delay = pacer.delay(situation, step.accepted);
    expect(delay).toBeCloseTo(step.delay ?? Number.NaN, 6);
    const sent = pacer.due(situation.now + delay);
    expect(sent).toBeCloseTo(step.due ?? Number.NaN, 6);
    expect(pacer.asked(sent)).toBe(step.kept);
    const latency = step.latency ?? Number.NaN;
    expect(pacer.held(sent, latency, step.cache)).toBeCloseTo(step.held ?? Number.NaN, 6);
    if (step.cache === "none") {
      pacer.answered(latency);
    }
  }
  if (step.decided !== undefined) {
    pacer.decided(situation.now, step.decided);
  }
}

describe("a policy in the editor", () => {
  it.each(sessions as { policy: string; steps: Step[] }[])("answers as a replay's $policy does", ({ policy, steps }) => {
    const pacer = new Pacer(policyOf(policy));
    for (const step of steps) {
      follow(pacer, step);
    }
    expect(steps.some((step) => step.gate === "")).toBe(true);
  });
});
