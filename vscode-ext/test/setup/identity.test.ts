import { describe, expect, it } from "vitest";

import { checkIdentity, isOlder, OLDEST_SERVER } from "../../src/setup/identity";

describe("checkIdentity", () => {
  it("gives the version of a ghosttape server that is new enough", () => {
    expect(checkIdentity("/bin/gt", { name: "ghosttape", version: OLDEST_SERVER })).toBe(OLDEST_SERVER);
  });

  it("offers an update of an older one, and says both versions", () => {
    const check = (): unknown => checkIdentity("/bin/gt", { name: "ghosttape", version: "0.0.9" });
    expect(check).toThrow(expect.objectContaining({ remedy: "update" }) as Error);
    expect(check).toThrow(`ghosttape 0.0.9 is too old: this extension needs ${OLDEST_SERVER} or newer. Install a newer one; this one is "/bin/gt".`);
  });

  it.each([
    [{ name: "pylsp", version: "1.2" }, 'which calls itself "pylsp"'],
    [undefined, "which does not say its name"],
  ])("refuses another language server (%j)", (info, words) => {
    expect(() => checkIdentity("/bin/other", info)).toThrow(words);
  });
});

describe("isOlder", () => {
  it.each([
    ["0.9.1", "0.10", true],
    ["0.10", "0.9.1", false],
    ["1.0", "1.0.0", false],
    ["1.0.0", "1.0", false],
    ["1.0", "1.0.1", true],
    ["0.2.0.dev3", "0.2.0", false],
    ["nonsense", "0.1", true],
  ])("says of %s and %s: %s", (version, than, older) => {
    expect(isOlder(version, than)).toBe(older);
  });
});
