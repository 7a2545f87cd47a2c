import { describe, expect, it } from "vitest";

import type { Row } from "../../src/results/records";
import { type Group, iconOf, summaryOf, treeOf, verdictOf } from "../../src/results/tree";

function row(number: number, ending: string, verdict: string, verdict_reason = ""): Row {
  const place = { tape: "ledger", path: "src/a.py", line: number, character: 4, kind: "if", scenario: "full" };
  return { ...place, number, ending, ending_reason: "", verdict, verdict_reason, latency: 80, suggestion: "return 1" };
}

const rows = [row(1, "rejected", "assertion"), row(2, "accepted", "passed"), row(3, "rejected", "passed"), row(4, "rejected", "passed")];
const list = { folder: "/runs/one", state: "", total: 4, moments: rows };

describe("the tree of results", () => {
  it("has each moment once, by ending and then by verdict, the most frequent first", () => {
    const shape = treeOf(list).map(({ label, count, children }) => [label, count, children.map((child) => [(child as Group).label, (child as Group).children.length])]);
    expect(shape).toEqual([
      ["rejected", 3, [["passed", 2], ["assertion", 1]]],
      ["accepted", 1, [["passed", 1]]],
    ]);
  });

  it("names a moment by its place as people count, with its block and the suggestion", () => {
    const [rejected] = treeOf(list);
    const [leaf] = (rejected?.children[1] as Group).children;
    expect(leaf).toMatchObject({ label: "src/a.py:2:5", description: "if/full  return 1", row: { number: 1 } });
  });

  it("tells untestable moments apart by their reason", () => {
    expect(verdictOf(row(1, "shown", "untestable", "rewritten"))).toBe("untestable (rewritten)");
    expect(verdictOf(row(1, "shown", "assertion", "x"))).toBe("assertion");
  });

  it("has signs of different forms", () => {
    const signs = ["passed", "assertion", "untestable (rewritten)", "not tested", "infrastructure"].map(iconOf);
    expect(new Set(signs).size).toBe(5);
    expect(iconOf("timeout")).toBe(iconOf("syntax"));
  });

  it("sums up what can be tested, and says what is missing", () => {
    expect(summaryOf(list)).toBe("4 moments, 3 of 4 testable passed");
    const cut = { folder: "/r", state: "still running", total: 9, moments: [row(1, "shown", "untestable")] };
    expect(summaryOf(cut)).toBe("the first 1 of 9 moments (still running)");
  });
});
