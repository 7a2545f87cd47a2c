import { describe, expect, it } from "vitest";

import { SetupError } from "../src/errors";
import { DEFAULT_DEBOUNCE, delay, initializationOptions } from "../src/settings";

describe("initializationOptions", () => {
  it("leaves the choice to the server when nothing is chosen", () => {
    expect(initializationOptions({})).toEqual({ provider: {} });
  });

  it("passes the provider's members on unchanged", () => {
    const provider = { name: "openai", base_url: "http://localhost:8000/v1", model: "m", max_tokens: 64, temperature: 0 };
    expect(initializationOptions(provider)).toEqual({ provider });
  });

  it("passes on a folder to record into, and says nothing of recording without one", () => {
    expect(initializationOptions({}, "/tapes")).toEqual({ provider: {}, record: { folder: "/tapes" } });
    expect(initializationOptions({}, undefined)).not.toHaveProperty("record");
  });

  it.each(["api_key", "apiKey", "token", "headers"])("refuses %s and does not repeat its value", (member) => {
    const secret = "s3cret";
    const initialize = (): unknown => initializationOptions({ name: "openai", [member]: secret });
    expect(initialize).toThrow(SetupError);
    expect(initialize).toThrow(new RegExp(`does not take ${member};.*GHOSTTAPE_API_KEY`));
    expect(initialize).not.toThrow(secret);
  });

  it.each([null, undefined, "gguf", 1, [{ name: "gguf" }]])("refuses %j, which is not an object", (provider) => {
    expect(() => initializationOptions(provider)).toThrow("must be an object");
  });
});

describe("delay", () => {
  it("is the configured time for a completion that the editor asks for", () => {
    expect(delay(false, 200)).toBe(200);
    expect(delay(false, 0)).toBe(0);
  });

  it("is nothing for a completion that the person asks for", () => {
    expect(delay(true, 200)).toBe(0);
  });

  it.each([-1, Number.NaN, "75", null, undefined])("is the default where %s is configured", (configured) => {
    expect(delay(false, configured)).toBe(DEFAULT_DEBOUNCE);
  });
});
