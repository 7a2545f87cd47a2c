import { existsSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { commandLink, EvaluatedRecords, keyOf, runOf, STATES, stateOf } from "../../src/evaluating/marks";
import type { MomentRecord } from "../../src/results/records";

function record(line: number, verdict: string | null, more: { character?: number; function?: string; tape?: string } = {}): MomentRecord {
  return {
    moment: { tape: "shop-0a1b2c", path: "shop.py", language: "python", line, character: 4, kind: "function", scenario: "inner", function: "shop.py:4", ...more },
    ending: { name: "rejected" },
    suggestion: null,
    verdict: verdict === null ? null : { name: verdict },
  };
}

function evaluated(...records: MomentRecord[]): EvaluatedRecords {
  const found = new EvaluatedRecords();
  for (const each of records) {
    found.take(each, true);
  }
  return found;
}

describe("marks in the gutter", () => {
  it("say what the verdicts say, line by line", () => {
    const found = evaluated(record(9, "untestable"), record(5, "passed"), record(6, "assertion"), record(7, "timeout"), record(8, null));
    expect(found.marks().map(({ line, state }) => [line, state])).toEqual([
      [5, "passed"],
      [6, "failed"],
      [7, "failed"],
      [8, "untested"],
      [9, "untestable"],
    ]);
  });

  it("show the worst of a line, and keep all of its moments", () => {
    const [mark] = evaluated(record(5, "passed"), record(5, "syntax", { character: 9 })).marks();
    expect(mark).toMatchObject({ line: 5, state: "failed" });
    expect(mark?.records).toHaveLength(2);
  });

  it("never blame the answer for the machine", () => {
    expect(stateOf(record(1, "infrastructure"), true)).toBe("untested");
  });

  it("wait until a verdict comes, and no longer than the run goes on", () => {
    const found = new EvaluatedRecords();
    found.take(record(5, null), false);
    expect(found.marks()[0]?.state).toBe("waiting");
    found.take(record(5, "passed"), true);
    found.take(record(5, null), false); // what comes late of the same moment says nothing new
    expect(found.marks()[0]?.state).toBe("passed");
    found.take(record(6, null), false);
    found.end();
    expect(found.marks()[1]?.state).toBe("untested");
  });

  it("have a picture for each state", () => {
    for (const state of STATES) {
      expect(existsSync(new URL(`../../media/${state}.svg`, import.meta.url))).toBe(true);
    }
  });
});

describe("the line above a function", () => {
  it("counts what passed of what could be tested", () => {
    const other = { function: "shop.py:20" };
    const found = evaluated(record(22, "untestable", other), record(5, "passed"), record(6, "assertion"), record(7, "passed"));
    expect(found.functions()).toEqual([
      { line: 3, title: "2 of 3 passed" },
      { line: 19, title: "1 untestable" },
    ]);
  });

  it("has none for code outside of functions", () => {
    expect(evaluated(record(1, "passed", { function: "" })).functions()).toEqual([]);
  });

  it("counts a function anew that is asked again", () => {
    const found = evaluated(record(5, "passed"), record(22, "passed", { function: "shop.py:20" }));
    found.forget([4]);
    found.take(record(5, "syntax"), true);
    expect(found.functions().map(({ title }) => title)).toEqual(["0 of 1 passed", "1 of 1 passed"]);
    found.forget([]);
    expect(found.size).toBe(0);
  });
});

it("knows a moment again in a run of one function, whose tape has another name", () => {
  expect(keyOf(record(5, null, { tape: "shop-ffffff" }).moment)).toBe(keyOf(record(5, null).moment));
  expect(keyOf(record(5, null).moment)).not.toBe(keyOf(record(6, null).moment));
});

it("shows the details of the run that evaluated this function last", () => {
  const [one, other] = [record(5, "passed"), record(22, "passed", { function: "shop.py:20" })];
  const places = new Map([[keyOf(one.moment), { run: "second", number: 1 }], [keyOf(other.moment), { run: "first", number: 7 }]]);
  const records = evaluated(one, other);
  expect([4, 20, 30].map((line) => runOf({ records, places }, line))).toEqual(["second", "first", undefined]);
});

it("links to a command with any path in its argument", () => {
  const link = commandLink("log", "ghosttape.evaluate.page", ["log", "/home/me/a)b (c)/run", 3]);
  const [, encoded = ""] = /^\[log\]\(command:ghosttape\.evaluate\.page\?([^()]*)\)$/.exec(link) ?? [];
  expect(JSON.parse(decodeURIComponent(encoded))).toEqual(["log", "/home/me/a)b (c)/run", 3]);
});
