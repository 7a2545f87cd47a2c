import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => ({}));

import manifest from "../../package.json" with { type: "json" };
import { entriesFor } from "../../src/seeing/menu";
import type { Status } from "../../src/seeing/status";

const status: Status = { server: { kind: "running", command: "/bin/gt", version: "0.1.0" }, model: "m", recording: "off", snooze: 0 };
const offered = (changed: Partial<Status> = {}): string[] => entriesFor({ ...status, ...changed }).map(({ command }) => command);

describe("the menu", () => {
  it("has what can be done with files, runs, tapes and keys, also where nothing is recorded any more", () => {
    const wanted = ["askAgain", "evaluate", "replayTape", "openResults", "replayRecording", "deleteRecording", "setKey", "deleteKey"];
    expect(offered()).toEqual(expect.arrayContaining(wanted));
  });

  it("has only commands that there are", () => {
    const known = manifest.contributes.commands.map(({ command }) => command);
    const all = [...offered(), ...offered({ recording: "on", snooze: 3 }), ...offered({ recording: "paused", server: { kind: "failed", reason: "" } })];
    expect(all.filter((command) => !known.includes(`ghosttape.${command}`))).toEqual([]);
  });
});
