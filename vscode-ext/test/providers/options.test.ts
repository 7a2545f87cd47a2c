import { describe, expect, it } from "vitest";

import { asSetting, canChangeTo, chooseProvider, initializationOptions } from "../../src/providers/options";
import { SetupError } from "../../src/setup/errors";

const users = { name: "openai", base_url: "http://localhost:8000/v1", model: "m", max_tokens: 64, temperature: 0 };

describe("chooseProvider", () => {
  it("leaves the choice to the server when nothing is chosen", () => {
    expect(chooseProvider({}, true)).toEqual({ provider: {}, isWorkspaces: false });
  });

  it("passes the members on unchanged", () => {
    expect(chooseProvider({ globalValue: users }, true)).toEqual({ provider: users, isWorkspaces: false });
  });

  it("takes the nearest scope's object whole, and mixes nothing of the farther one in", () => {
    const workspaceValue = { name: "ollama", model: "q" };
    expect(chooseProvider({ globalValue: users, workspaceValue }, true).provider).toEqual(workspaceValue);
    const workspaceFolderValue = { name: "gguf" };
    expect(chooseProvider({ globalValue: users, workspaceValue, workspaceFolderValue }, true).provider).toEqual({ name: "gguf" });
  });

  it("does not heed a workspace that is not trusted", () => {
    const chosen = chooseProvider({ globalValue: users, workspaceValue: { name: "ngram" } }, false);
    expect(chosen).toEqual({ provider: users, isWorkspaces: false });
  });

  it("has what a setting can hold of a workspace's provider, to be chosen again with another model", () => {
    const workspaceValue = { name: "openai", base_url: "http://elsewhere.example/v1", model: "small" };
    const { provider } = chooseProvider({ workspaceValue }, true);
    const again = asSetting({ ...provider, model: "big" });
    expect(again).toEqual({ ...workspaceValue, model: "big" });
    expect(chooseProvider({ workspaceValue: again }, true).provider["use_key"]).toBe(false);
  });

  it("gives no key to a server that only the workspace names", () => {
    const workspaceValue = { name: "openai", base_url: "http://elsewhere.example/v1" };
    expect(chooseProvider({ globalValue: users, workspaceValue }, true).provider).toEqual({ ...workspaceValue, use_key: false });
    const same = { name: "openai", base_url: users.base_url, model: "n" };
    expect(chooseProvider({ globalValue: users, workspaceValue: same }, true).provider).toEqual(same);
  });

  it.each(["command", "options", "folder"])("refuses %s from a workspace, and takes it from the user", (member) => {
    const provider = { name: "lsp", [member]: "x" };
    expect(() => chooseProvider({ workspaceValue: provider }, true)).toThrow(/belongs in your user settings/);
    expect(chooseProvider({ globalValue: provider }, true).provider).toEqual(provider);
  });

  it.each(["api_key", "apiKey", "token", "headers", "use_key", "record"])("refuses %s and does not repeat its value", (member) => {
    const secret = "s3cret";
    const choose = (): unknown => chooseProvider({ globalValue: { name: "openai", [member]: secret } }, true);
    expect(choose).toThrow(SetupError);
    expect(choose).toThrow(new RegExp(`does not take ${member};.*Store a Key`));
    expect(choose).not.toThrow(secret);
  });

  it.each(["gguf", 1, [{ name: "gguf" }]])("refuses %j, which is not an object", (globalValue) => {
    expect(() => chooseProvider({ globalValue }, true)).toThrow("must be an object");
  });
});

describe("a server that runs", () => {
  const started = { options: { provider: { name: "gguf" } }, variables: { OPENAI_API_KEY: "sk-1" } };

  it("can change its provider and its repairs", () => {
    const options = { provider: { name: "ngram" }, repairs: ["stop"] };
    expect(canChangeTo(started, { ...started, options })).toBe(true);
  });

  it("cannot change its environment", () => {
    const variables = { OPENAI_API_KEY: "sk-1", GHOSTTAPE_API_KEY: "sk-1" };
    expect(canChangeTo(started, { ...started, variables })).toBe(false);
    expect(canChangeTo(started, { ...started, variables: {} })).toBe(false);
  });

  it("cannot forget the repairs that it was initialized with", () => {
    const repaired = { ...started, options: { ...started.options, repairs: ["stop"] } };
    expect(canChangeTo(repaired, started)).toBe(false);
    expect(canChangeTo(repaired, repaired)).toBe(true);
  });
});

describe("initializationOptions", () => {
  it("says nothing of recording and repairs unless told to", () => {
    expect(initializationOptions({}, {})).toEqual({ provider: {} });
    expect(initializationOptions({}, { repairs: null, recordTo: undefined })).toEqual({ provider: {} });
  });

  it("passes on the folder to record into", () => {
    expect(initializationOptions({}, { recordTo: "/tapes" })).toEqual({ provider: {}, record: { folder: "/tapes", tells_shown: true } });
  });

  it("passes on the repairs in their order, also none", () => {
    expect(initializationOptions({}, { repairs: ["stop", "prose"] }).repairs).toEqual(["prose", "stop"]);
    expect(initializationOptions({}, { repairs: [] }).repairs).toEqual([]);
  });

  it.each(["prose", ["polish"], [1]])("refuses the repairs %j", (repairs) => {
    expect(() => initializationOptions({}, { repairs })).toThrow(/must be a list of prose, repeats/);
  });
});
