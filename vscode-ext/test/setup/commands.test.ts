import { describe, expect, it } from "vitest";

import { installCommand } from "../../src/setup/commands";

describe("installCommand", () => {
  it("installs and updates with uv and with pipx", () => {
    expect(installCommand("uv", "ghosttape", false)).toBe("uv tool install ghosttape");
    expect(installCommand("uv", "ghosttape", true)).toBe("uv tool install --upgrade ghosttape");
    expect(installCommand("pipx", "ghosttape", false)).toBe("pipx install ghosttape");
    expect(installCommand("pipx", "ghosttape", true)).toBe("pipx install --force ghosttape");
  });

  it("takes folders, extras and addresses, quoted where a shell would split or match them", () => {
    expect(installCommand("uv", "/home/ada/ghost tape", false)).toBe('uv tool install "/home/ada/ghost tape"');
    expect(installCommand("uv", "ghosttape[embedded]", false)).toBe('uv tool install "ghosttape[embedded]"');
    expect(installCommand("pipx", "git+https://example.com/ghosttape.git", false)).toBe("pipx install git+https://example.com/ghosttape.git");
  });

  it.each(["ghosttape; rm -rf ~", "$(id)", "`id`", 'a"b', "a'b", "a&b", "a|b", "a>b", "--index-url=x", "", "!x"])("refuses %j", (source) => {
    expect(installCommand("uv", source, false)).toBeUndefined();
  });
});
