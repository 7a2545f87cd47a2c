import { describe, expect, it } from "vitest";

import { CONSENT, consent, type Memory } from "../src/consent";

function memory(agreed?: unknown): Memory & { kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>(agreed === undefined ? [] : [[CONSENT, agreed]]);
  return {
    kept,
    get: (key) => kept.get(key),
    update: (key, value) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  };
}

describe("consent", () => {
  it.each([false, undefined, null, "true", 1])("is no while the setting is %j, whatever was said before", async (setting) => {
    expect(await consent(setting, memory(true))).toBe("no");
  });

  it("has to be asked for when the setting is on", async () => {
    expect(await consent(true, memory())).toBe("ask");
    expect(await consent(true, memory("yes, yes"))).toBe("ask");
  });

  it("is given once", async () => {
    expect(await consent(true, memory(true))).toBe("yes");
  });

  it("is taken back by turning the setting off", async () => {
    const remembered = memory(true);
    await consent(false, remembered);
    expect(await consent(true, remembered)).toBe("ask");
  });
});
