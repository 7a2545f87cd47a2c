import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SetupError } from "../../src/setup/errors";
import { isExecutable, locate, programFolders, remedyIn, type Surroundings } from "../../src/setup/location";

function surroundings(files: readonly string[], given: Partial<Surroundings>): Surroundings {
  return {
    configured: "",
    environment: [],
    variables: {},
    home: "/home/ada",
    platform: "linux",
    isExecutable: (file) => files.includes(file),
    ...given,
  };
}

it("a program that is there, though it cannot be used, is updated; one that is not is installed", () => {
  const given = { variables: { PATH: "/usr/bin" } };
  expect(remedyIn(surroundings(["/usr/bin/ghosttape"], given))).toBe("update");
  expect(remedyIn(surroundings([], given))).toBe("install");
});

describe("locate, by the setting", () => {
  it("takes the configured file and does not look on PATH", () => {
    const files = ["/opt/ghosttape", "/usr/bin/ghosttape"];
    expect(locate(surroundings(files, { configured: " /opt/ghosttape ", variables: { PATH: "/usr/bin" } }))).toBe("/opt/ghosttape");
  });

  it("does not fall back to PATH when the configured file is missing", () => {
    const given = surroundings(["/usr/bin/ghosttape"], { configured: "/opt/ghosttape", variables: { PATH: "/usr/bin" } });
    expect(() => locate(given)).toThrow('"/opt/ghosttape", which is not a file that can be run');
  });

  it("expands ~/ to the home folder", () => {
    expect(locate(surroundings(["/home/ada/bin/gt"], { configured: "~/bin/gt" }))).toBe("/home/ada/bin/gt");
  });

  it.each(["ghosttape", "./ghosttape", ".venv/bin/ghosttape"])("refuses the relative path %s", (configured) => {
    const given = surroundings([configured], { configured });
    expect(() => locate(given)).toThrow("must be an absolute path");
  });

  it("takes a Windows path on Windows", () => {
    const file = "C:\\Tools\\ghosttape.exe";
    expect(locate(surroundings([file], { configured: file, platform: "win32" }))).toBe(file);
  });
});

describe("locate, on PATH", () => {
  it("takes the first folder that has it", () => {
    const files = ["/b/ghosttape", "/c/ghosttape"];
    expect(locate(surroundings(files, { variables: { PATH: "/a:/b:/c" } }))).toBe("/b/ghosttape");
  });

  it("never looks in folders that are relative to the opened one", () => {
    const files = ["ghosttape", "bin/ghosttape"];
    expect(() => locate(surroundings(files, { variables: { PATH: ":.:bin:" } }))).toThrow("not found");
  });

  it("looks for an .exe in the folders of a Windows PATH", () => {
    const given = surroundings(["D:\\gt\\ghosttape.exe"], { variables: { PATH: "C:\\Windows;D:\\gt" }, platform: "win32" });
    expect(locate(given)).toBe("D:\\gt\\ghosttape.exe");
  });

  it("offers to install the server, and names the setting that opens, when it is nowhere", () => {
    expect(() => locate(surroundings([], { variables: { PATH: "/usr/bin" } }))).toThrow(
      expect.objectContaining({
        name: "SetupError",
        setting: "ghosttape.server.path",
        remedy: "install",
        message: expect.stringContaining("Install it") as string,
      }) as SetupError,
    );
  });
});

describe("locate, in the chosen Python environment", () => {
  const files = ["/project/.venv/bin/ghosttape", "/usr/bin/ghosttape", "/home/ada/.local/bin/ghosttape", "/tools/ghosttape"];

  it("takes it before PATH, and PATH before the folders of uv and pipx", () => {
    const variables = { PATH: "/usr/bin", UV_TOOL_BIN_DIR: "/tools" };
    expect(locate(surroundings(files, { environment: ["/project/.venv/bin"], variables }))).toBe("/project/.venv/bin/ghosttape");
    expect(locate(surroundings(files, { variables }))).toBe("/usr/bin/ghosttape");
    expect(locate(surroundings(files, { variables: { PIPX_BIN_DIR: "/tools" } }))).toBe("/tools/ghosttape");
    expect(locate(surroundings(files, {}))).toBe("/home/ada/.local/bin/ghosttape");
  });

  it("goes on to PATH where the environment has none", () => {
    const given = { environment: ["/project/other/bin"], variables: { PATH: "/usr/bin" } };
    expect(locate(surroundings(files, given))).toBe("/usr/bin/ghosttape");
  });

  it("knows where the programs of an environment are", () => {
    expect(programFolders("/project/.venv/bin/python", "linux")).toEqual(["/project/.venv/bin"]);
    expect(programFolders("C:\\Python\\python.exe", "win32")).toEqual(["C:\\Python", "C:\\Python\\Scripts"]);
  });
});

describe.skipIf(process.platform === "win32")("locate, with real files", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("passes over a folder and a file without the permission to run", () => {
    for (const name of ["directory", "plain", "right"]) {
      mkdirSync(join(folder, name));
    }
    mkdirSync(join(folder, "directory", "ghosttape"));
    writeFileSync(join(folder, "plain", "ghosttape"), "");
    chmodSync(join(folder, "plain", "ghosttape"), 0o644);
    writeFileSync(join(folder, "right", "ghosttape"), "#!/bin/sh\n");
    chmodSync(join(folder, "right", "ghosttape"), 0o755);
    const searchPath = ["absent", "directory", "plain", "right"].map((name) => join(folder, name)).join(delimiter);
    const found = locate(surroundings([], { variables: { PATH: searchPath }, platform: process.platform, isExecutable }));
    expect(found).toBe(join(folder, "right", "ghosttape"));
  });
});
