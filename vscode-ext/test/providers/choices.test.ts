import { describe, expect, it } from "vitest";

import { modelName, providerChoices } from "../../src/providers/choices";
import { modelsOf } from "../../src/providers/models";

describe("providerChoices", () => {
  const named = { "at work": { name: "openai", base_url: "http://w/v1", model: "big" }, broken: 3 };

  it("offers the person's own, the models found, the kinds that need nothing else, and the folder's file", () => {
    const labels = providerChoices(named, [{ name: "ollama", model: "q" }], {}).map(({ label }) => label);
    expect(labels).toEqual(["at work", "ollama · q", "gguf", "ngram", "$(check) ghosttape.toml"]);
  });

  it("offers the one in use first where nothing else lists it", () => {
    const labels = providerChoices(named, [], { name: "fixed", text: "x" }).map(({ label }) => label);
    expect(labels[0]).toBe("$(check) fixed");
    expect(labels).toHaveLength(5);
  });

  it("marks the one in use, in whatever order its members stand", () => {
    const current = { model: "big", base_url: "http://w/v1", name: "openai" };
    expect(providerChoices(named, [], current)[0]?.label).toBe("$(check) at work");
  });
});

describe("modelName", () => {
  it.each([
    [{ name: "openai", model: "qwen" }, "qwen"],
    [{ name: "gguf", model: "/models/smol.gguf" }, "smol.gguf"],
    [{ name: "gguf", model: "" }, "gguf"],
    [{}, ""],
  ])("of %j is %j", (provider, name) => {
    expect(modelName(provider)).toBe(name);
  });
});

describe("modelsOf", () => {
  it("lists what an OpenAI-compatible server has", async () => {
    const provider = { name: "openai", base_url: "http://w/v1/", temperature: 0.5 };
    const asked: string[] = [];
    const found = await modelsOf(provider, (url) => {
      asked.push(url);
      return Promise.resolve({ data: [{ id: "a" }, { id: "b" }, {}] });
    });
    expect(asked).toEqual(["http://w/v1/models"]);
    expect(found).toEqual([{ ...provider, model: "a" }, { ...provider, model: "b" }]);
  });

  it("knows where Ollama listens", async () => {
    const found = await modelsOf({ name: "ollama" }, (url) =>
      Promise.resolve(url === "http://127.0.0.1:11434/api/tags" ? { models: [{ name: "q:7b" }] } : undefined),
    );
    expect(found).toEqual([{ name: "ollama", model: "q:7b" }]);
  });

  it.each([undefined, "text", { data: "x" }, { models: [null] }])("has none where the answer is %j", async (answer) => {
    expect(await modelsOf({ name: "openai", base_url: "http://w" }, () => Promise.resolve(answer))).toEqual([]);
  });

  it("has none where nobody answers, and asks nobody for providers without a list", async () => {
    expect(await modelsOf({ name: "ollama" }, () => Promise.reject(new Error("refused")))).toEqual([]);
    expect(await modelsOf({ name: "anthropic" }, () => Promise.reject(new Error("asked")))).toEqual([]);
  });
});
