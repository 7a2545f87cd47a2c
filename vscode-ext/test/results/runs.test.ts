import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { nameOf, RunFolders } from "../../src/results/runs";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "runs-"));
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

function folders(names: readonly string[], isTrusted = true): RunFolders {
  return new RunFolders(() => names.map((name) => join(place, name)), () => isTrusted, join(place, "storage"));
}

/** A run in a folder, of which something was kept so many seconds after another. */
function made(folder: string, second: number): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.sqlite"), "");
  utimesSync(join(folder, "run.sqlite"), second, second);
  return folder;
}

describe("a new run", () => {
  it("of a project lies in its own folder, wherever the server runs", () => {
    const run = folders(["one", "two"]).ofProject(join(place, "two"), "evaluate-shop.py");
    expect(dirname(run)).toBe(join(place, "two", ".ghosttape", "runs"));
    expect(basename(run)).toMatch(/^\d{8}-\d{6}-evaluate-shop\.py-[0-9a-f]{4}$/);
  });

  it("of a tape lies in the first folder, or in the extension's own without one that is trusted", () => {
    expect(dirname(folders(["one", "two"]).ofWindow("ledger-blocks"))).toBe(join(place, "one", ".ghosttape", "runs"));
    expect(dirname(folders([]).ofWindow("ledger-blocks"))).toBe(join(place, "storage"));
    expect(dirname(folders(["one"], false).ofWindow("ledger-blocks"))).toBe(join(place, "storage"));
  });

  it("has a name that leads nowhere else and says the time here", () => {
    const name = nameOf("../../a b", new Date(2026, 0, 31, 12, 0, 5));
    expect(name).toMatch(/^20260131-120005-[\w-]+-[0-9a-f]{4}$/);
  });
});

describe("the runs of a workspace", () => {
  it("are those of all folders and those of none, the newest first", () => {
    const own = join(".ghosttape", "runs");
    const first = made(join(place, "one", own, "a"), 10);
    const second = made(join(place, "two", own, "b"), 30);
    const third = made(join(place, "storage", "c"), 20);
    mkdirSync(join(place, "one", own, "never-begun"));
    expect(folders(["one", "two", "gone"]).newestFirst()).toEqual([second, third, first]);
  });
});
