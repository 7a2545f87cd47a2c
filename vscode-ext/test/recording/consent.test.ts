import { describe, expect, it } from "vitest";

import { CHOICE, type Memory, RecordingChoice } from "../../src/recording/consent";

function memory(kept?: unknown): Memory & { readonly values: Map<string, unknown> } {
  const values = new Map<string, unknown>(kept === undefined ? [] : [[CHOICE, kept]]);
  return {
    values,
    get: (key) => values.get(key),
    update: (key, value) => {
      values.set(key, value);
      return Promise.resolve();
    },
  };
}

describe("the choice whether a workspace is recorded", () => {
  it.each([undefined, true, "yes", "off", { state: "on" }])("is off where %j is kept", (kept) => {
    expect(new RecordingChoice(memory(kept)).state).toBe("off");
  });

  it("stays for the next window of the same workspace", async () => {
    const workspace = memory();
    await new RecordingChoice(workspace).choose("on");
    expect(new RecordingChoice(workspace).state).toBe("on");
    await new RecordingChoice(workspace).choose("paused");
    expect(new RecordingChoice(workspace).state).toBe("paused");
  });

  it("counts no more where less was recorded when it was made, and is asked again once", async () => {
    const workspace = memory();
    await workspace.update("ghosttape.recording", "on");
    const choice = new RecordingChoice(workspace);
    expect(choice.state).toBe("off");
    expect([await choice.forgetFormer(), await choice.forgetFormer()]).toEqual([true, false]);
    expect(choice.state).toBe("off");
  });

  it("is forgotten when it is switched off", async () => {
    const workspace = memory("on");
    await new RecordingChoice(workspace).choose("off");
    expect(workspace.values.get(CHOICE)).toBeUndefined();
  });
});
