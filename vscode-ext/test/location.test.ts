import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SetupError } from "../src/errors";
import { isExecutable, locate, type Surroundings } from "../src/location";

function surroundings(files: readonly string[], given: Partial<Surroundings>): Surroundings {
  return {
    configured: "",
    searchPath: "",
    home: "/home/ada",
    platform: "linux",
    isExecutable: (file) => files.includes(file),
    ...given,
  };
}

describe("locate, by the setting", () => {
  it("takes the configured file and does not look on PATH", () => {
    const files = ["/opt/ghosttape", "/usr/bin/ghosttape"];
    expect(locate(surroundings(files, { configured: " /opt/ghosttape ", searchPath: "/usr/bin" }))).toBe("/opt/ghosttape");
  });

  it("does not fall back to PATH when the configured file is missing", () => {
    const given = surroundings(["/usr/bin/ghosttape"], { configured: "/opt/ghosttape", searchPath: "/usr/bin" });
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
    expect(locate(surroundings(files, { searchPath: "/a:/b:/c" }))).toBe("/b/ghosttape");
  });

  it("never looks in folders that are relative to the opened one", () => {
    const files = ["ghosttape", "bin/ghosttape"];
    expect(() => locate(surroundings(files, { searchPath: ":.:bin:" }))).toThrow("not found");
  });

  it("looks for an .exe in the folders of a Windows PATH", () => {
    const given = surroundings(["D:\\gt\\ghosttape.exe"], { searchPath: "C:\\Windows;D:\\gt", platform: "win32" });
    expect(locate(given)).toBe("D:\\gt\\ghosttape.exe");
  });

  it("says how to install the server, and names the setting that opens, when it is nowhere", () => {
    expect(() => locate(surroundings([], { searchPath: "/usr/bin" }))).toThrow(
      expect.objectContaining({
        name: "SetupError",
        setting: "ghosttape.server.path",
        message: expect.stringContaining("uv tool install") as string,
      }) as SetupError,
    );
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
    const found = locate(surroundings([], { searchPath, platform: process.platform, isExecutable }));
    expect(found).toBe(join(folder, "right", "ghosttape"));
  });
});
