import { beforeEach, describe, expect, it } from "vitest";

import { keyProblem, Keys, type SecretStore } from "../../src/providers/keys";

class Secrets implements SecretStore {
  readonly kept = new Map<string, string>();

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.kept.get(name));
  }

  store(name: string, value: string): Promise<void> {
    this.kept.set(name, value);
    return Promise.resolve();
  }

  delete(name: string): Promise<void> {
    this.kept.delete(name);
    return Promise.resolve();
  }
}

describe("stored keys", () => {
  let secrets: Secrets;
  let keys: Keys;

  beforeEach(() => {
    secrets = new Secrets();
    keys = new Keys(secrets);
  });

  it("go into the variable of their provider", async () => {
    await keys.store("openai", " sk-1 \n");
    await keys.store("anthropic", "sk-2");
    expect(await keys.variables(undefined)).toEqual({ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" });
  });

  it("count over the editor's own environment for the provider that is chosen, and go to no other one", async () => {
    await keys.store("openai", "sk-1");
    await keys.store("anthropic", "sk-2");
    expect(await keys.variables("anthropic")).toEqual({
      OPENAI_API_KEY: "sk-1",
      GHOSTTAPE_API_KEY: "",
      ANTHROPIC_API_KEY: "sk-2",
    });
  });

  it("are no variables before they are stored and after they are deleted", async () => {
    expect(await keys.variables("openai")).toEqual({});
    await keys.store("openai", "sk-1");
    expect(await keys.stored()).toEqual(["openai"]);
    await keys.delete("openai");
    expect(await keys.variables("openai")).toEqual({});
    expect(await keys.stored()).toEqual([]);
  });
});

describe("keyProblem", () => {
  it.each(["sk-1", " sk-1\n", "a+b/c=="])("takes %j", (key) => {
    expect(keyProblem(key)).toBeUndefined();
  });

  it.each(["", "  ", "two words", "clé", "sk\u00001"])("refuses %j, which no header may hold", (key) => {
    expect(keyProblem(key)).toMatch(/ASCII/);
  });
});
