import { describe, expect, it } from "vitest";

import { decidingScope, isEnabled } from "../../src/typing/enablement";

const everywhere = (): boolean => true;
const nowhere = (): boolean => false;

describe("isEnabled", () => {
  it("is true where nothing is said", () => {
    expect(isEnabled({}, "python", everywhere)).toBe(true);
  });

  it("goes by the language, and by * for the others", () => {
    const table = { "*": false, python: true, "c++": true };
    expect(isEnabled(table, "python", nowhere)).toBe(true);
    expect(isEnabled(table, "c++", nowhere)).toBe(true);
    expect(isEnabled(table, "ruby", nowhere)).toBe(false);
  });

  it("goes by a glob that matches before the language", () => {
    const table = { python: true, "**/*_test.py": false };
    expect(isEnabled(table, "python", (glob) => glob === "**/*_test.py")).toBe(false);
    expect(isEnabled(table, "python", nowhere)).toBe(true);
  });

  it("goes by the last of several globs that match", () => {
    const table = { "docs/**": false, "docs/code/**": true };
    expect(isEnabled(table, "python", everywhere)).toBe(true);
    expect(isEnabled(table, "python", (glob) => glob === "docs/**")).toBe(false);
  });
});

describe("decidingScope", () => {
  it.each([
    [{ global: { python: true }, workspace: { python: false }, folder: undefined }, "workspace"],
    [{ global: { python: true }, workspace: { ruby: false }, folder: { python: true } }, "folder"],
    [{ global: { python: true }, workspace: { "*": false }, folder: undefined }, "global"],
    [{ global: undefined, workspace: { "*": false }, folder: undefined }, "global"],
  ] as const)("is the nearest that names the language: %j", (tables, scope) => {
    expect(decidingScope(tables, "python")).toBe(scope);
  });
});
