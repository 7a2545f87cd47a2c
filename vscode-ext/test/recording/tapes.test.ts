import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sessionFolder, tapesOf, workspaceFolder } from "../../src/recording/tapes";

describe("the folders of tapes", () => {
  it("are different for workspaces of the same name, and the same for the same workspace", () => {
    const [one, other] = [workspaceFolder("/r", "file:///a/shop"), workspaceFolder("/r", "file:///b/shop")];
    expect(one).toMatch(/^\/r\/shop-[0-9a-f]{8}$/);
    expect(one).not.toBe(other);
    expect(workspaceFolder("/r", "file:///a/shop")).toBe(one);
  });

  it("have names that every file system takes", () => {
    expect(workspaceFolder("/r", "file:///a/my%20shop%3A")).toMatch(/^\/r\/my_shop_-/);
  });

  it("are one for each session", () => {
    const folder = sessionFolder("/r", "file:///a/shop", new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)));
    expect(folder).toBe(join(workspaceFolder("/r", "file:///a/shop"), "2026-01-02T03-04-05-006Z"));
  });
});

describe("the tapes of a workspace", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function tape(session: string, name: string, seconds: number): string {
    mkdirSync(join(folder, session), { recursive: true });
    const file = join(folder, session, name);
    writeFileSync(file, "");
    utimesSync(file, seconds, seconds);
    return file;
  }

  it("are those of all its sessions, the newest first, with their sessions", () => {
    const first = tape("one", "a.tape.jsonl", 10);
    const newest = tape("two", "b.tape.jsonl", 30);
    const second = tape("two", "c.tape.jsonl", 20);
    tape("two", "notes.txt", 50);
    writeFileSync(join(folder, "stray.tape.jsonl"), "");
    const found = tapesOf(folder).map(({ path, session }) => [path, session]);
    expect(found).toEqual([
      [newest, join(folder, "two")],
      [second, join(folder, "two")],
      [first, join(folder, "one")],
    ]);
  });

  it("are none where nothing was recorded", () => {
    expect(tapesOf(join(folder, "never"))).toEqual([]);
  });
});
