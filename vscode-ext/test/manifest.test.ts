import { describe, expect, it } from "vitest";

import manifest from "../package.json" with { type: "json" };
import shared from "../src/providers/providers.json" with { type: "json" };
import { isOlder, OLDEST_SERVER } from "../src/setup/identity";
import { LANGUAGES } from "../src/typing/languages";
import { DEFAULT_POLICY, POLICIES } from "../src/typing/policy";

const settings = manifest.contributes.configuration.properties;
const commands = manifest.contributes.commands.map(({ command }) => command);

describe("package.json", () => {
  it("wakes the extension for exactly the languages it works in", () => {
    expect(manifest.activationEvents).toEqual(LANGUAGES.map((language) => `onLanguage:${language}`));
  });

  it("offers exactly the provider's members and names that are passed on", () => {
    expect(Object.keys(settings["ghosttape.provider"].properties)).toEqual(shared.members);
    expect(settings["ghosttape.provider"].properties.name.enum).toEqual(Object.keys(shared.providers));
    expect(settings["ghosttape.provider"].additionalProperties).toBe(false);
    expect(settings["ghosttape.repairs"].items.enum).toEqual(shared.repairs);
  });

  it("offers the policies that an editor can follow", () => {
    expect(settings["ghosttape.policy"].default).toBe(DEFAULT_POLICY);
    expect(settings["ghosttape.policy"].examples).toEqual(expect.arrayContaining(Object.keys(POLICIES)));
  });

  it("has no default that would hide what ghosttape.toml says", () => {
    expect(settings["ghosttape.provider"].default).toEqual({});
    expect(settings["ghosttape.repairs"].default).toBeNull();
  });

  it("has no setting that records: a workspace's file could switch it on", () => {
    expect(Object.keys(settings).filter((name) => name.includes("record"))).toEqual([]);
  });

  it("binds keys only to commands that there are", () => {
    for (const { command } of manifest.contributes.keybindings) {
      expect(commands).toContain(command);
    }
  });

  it("needs no server that is newer than itself", () => {
    expect(isOlder(manifest.version, OLDEST_SERVER)).toBe(false);
  });

  it("keeps a workspace that is not trusted from choosing what runs or where code is sent", () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe("limited");
    expect(restrictedConfigurations).toEqual(["ghosttape.provider", "ghosttape.repairs", "ghosttape.server.path"]);
    expect(settings["ghosttape.server.path"].scope).toBe("machine-overridable");
    expect(settings["ghosttape.install.source"].scope, "a workspace must not choose what is installed").toBe("machine");
  });
});
