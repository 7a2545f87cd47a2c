import { describe, expect, it } from "vitest";

import manifest from "../package.json" with { type: "json" };
import { LANGUAGES } from "../src/languages";
import { DEFAULT_DEBOUNCE, PROVIDER_MEMBERS } from "../src/settings";

const settings = manifest.contributes.configuration.properties;

describe("package.json", () => {
  it("wakes the extension for exactly the languages it works in", () => {
    expect(manifest.activationEvents).toEqual(LANGUAGES.map((language) => `onLanguage:${language}`));
  });

  it("offers exactly the provider's members that are passed on", () => {
    expect(Object.keys(settings["ghosttape.provider"].properties)).toEqual([...PROVIDER_MEMBERS]);
    expect(settings["ghosttape.provider"].additionalProperties).toBe(false);
  });

  it("has the defaults that the code has", () => {
    expect(settings["ghosttape.debounce"].default).toBe(DEFAULT_DEBOUNCE);
    expect(settings["ghosttape.provider"].default, "would hide what ghosttape.toml says").toEqual({});
  });

  it("records nothing unless the person says so, whatever a workspace says", () => {
    expect(settings["ghosttape.record"].default).toBe(false);
    expect(settings["ghosttape.record"].scope, "only the user's own settings count").toBe("application");
  });

  it("keeps a workspace that is not trusted from choosing what runs or where code is sent", () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe("limited");
    expect(restrictedConfigurations).toEqual(["ghosttape.provider", "ghosttape.server.path"]);
    expect(settings["ghosttape.server.path"].scope).toBe("machine-overridable");
  });
});
