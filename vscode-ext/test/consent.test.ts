import { describe, expect, it } from "vitest";

import { ASKED, CONSENT, consent, type Memory, takesQuestion } from "../src/consent";

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

  it("is asked for by one window, and once, however often it starts while nobody answers", async () => {
    const remembered = memory();
    expect(await Promise.all([takesQuestion(true, remembered), takesQuestion(true, remembered)])).toEqual([true, false]);
    expect(await takesQuestion(true, remembered)).toBe(false);
    expect(await consent(true, remembered)).toBe("no");
  });

  it("is asked for again after the setting was off", async () => {
    const remembered = memory();
    await takesQuestion(true, remembered);
    await consent(false, remembered);
    expect(remembered.kept.get(ASKED)).toBeUndefined();
    expect(await takesQuestion(true, remembered)).toBe(true);
  });

  it("is not asked for when it was given, or the setting is off", async () => {
    expect(await takesQuestion(true, memory(true))).toBe(false);
    expect(await takesQuestion(false, memory())).toBe(false);
  });
});
