import { existsSync, readFileSync, statSync } from "node:fs";

import { describe, expect, it } from "vitest";

import manifest from "../package.json" with { type: "json" };
import shared from "../src/providers/providers.json" with { type: "json" };
import { isOlder, OLDEST_SERVER } from "../src/setup/identity";
import { LANGUAGES } from "../src/typing/languages";
import { DEFAULT_POLICY } from "../src/typing/policies/policy";
import { POLICIES } from "../src/typing/policies/tables";

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

  it("offers to ask again in exactly the languages it works in, also where nothing can be typed", () => {
    const [entry, ...others] = manifest.contributes.menus["editor/context"];
    expect(others).toEqual([]);
    expect(entry?.when).toContain(`editorLangId =~ /^(${LANGUAGES.join("|")})$/`);
    expect(entry?.when).toContain("ghosttape-replay");
    expect(commands).toContain(entry?.command);
  });

  it("leads through the first steps with commands that there are, and pictures that are in the package", () => {
    const [walkthrough, ...others] = manifest.contributes.walkthroughs;
    expect(others).toEqual([]);
    for (const { description, media, completionEvents } of walkthrough?.steps ?? []) {
      const named = [...description.matchAll(/\(command:([\w.]+)\)/g), ...completionEvents.join(" ").matchAll(/onCommand:([\w.]+)/g)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, command] of named) {
        expect(commands).toContain(command);
      }
      expect(statSync(media.image).size).toBeLessThan(100_000);
      expect(media.altText).not.toBe("");
    }
    expect(manifest.files).toContain("media");
  });

  it("has no picture in its README that is not there", () => {
    const pictures = [...readFileSync("README.md", "utf8").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? "");
    expect(pictures.length).toBeGreaterThan(2);
    expect(pictures.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("needs no server that is newer than itself", () => {
    expect(isOlder(manifest.version, OLDEST_SERVER)).toBe(false);
  });

  it("keeps a workspace that is not trusted from choosing what runs, where code is sent, and patterns that could run for ever", () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    expect(supported).toBe("limited");
    expect(restrictedConfigurations).toEqual(["ghosttape.policy", "ghosttape.provider", "ghosttape.repairs", "ghosttape.server.path"]);
    expect(settings["ghosttape.server.path"].scope).toBe("machine-overridable");
    expect(settings["ghosttape.install.source"].scope, "a workspace must not choose what is installed").toBe("machine");
  });
});
