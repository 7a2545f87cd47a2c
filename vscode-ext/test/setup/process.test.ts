import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { PassingError } from "../../src/setup/errors";
import { ServerProcess, startsLikeAMessage } from "../../src/setup/process";

describe.skipIf(process.platform === "win32")("a program that is no language server", () => {
  let folder: string;
  const running: ServerProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.end(0)));
    rmSync(folder, { recursive: true });
  });

  function program(script: string): string {
    const file = join(folder, "program");
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  async function failure(script: string, { patience, passes = false }: { patience?: number; passes?: boolean } = {}): Promise<string> {
    const server = new ServerProcess({ command: program(script), args: [] }, patience);
    running.push(server);
    const error: unknown = await server.failure.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "SetupError", setting: "ghosttape.server.path" });
    expect(error instanceof PassingError).toBe(passes);
    return (error as Error).message;
  }

  it("and ends at once: gets a sentence with its status, and what to do", async () => {
    expect(await failure("exit 0")).toMatch(
      /^This is no working ghosttape language server: it ended with status 0 before it answered\. Set ghosttape.server.path to the program "ghosttape"\. It is ".*program" now\.$/,
    );
  });

  it("and ends with an error: its last words are repeated", async () => {
    expect(await failure("echo first >&2; echo no module named tui >&2; exit 3")).toMatch(
      /status 3 .*Its last words were "no module named tui"\./,
    );
  });

  it("and never answers: is ended after the patience", async () => {
    expect(await failure("exec sleep 60", { patience: 50, passes: true })).toMatch(/has not answered for 0.05 s/);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(running[0]?.child.signalCode).toBe("SIGKILL");
  });

  it("and writes something else for ever: is ended at its first words", async () => {
    expect(await failure("exec yes hello")).toMatch(/writes "hello.*" where a language server writes messages/);
  });

  it("and is ended by a signal", async () => {
    expect(await failure("kill -TERM $$", { passes: true })).toMatch(/was ended by SIGTERM/);
  });

  it("and cannot be run", async () => {
    const server = new ServerProcess({ command: join(folder, "absent"), args: [] });
    await expect(server.failure).rejects.toThrow(/cannot be started \(spawn .*ENOENT\)/);
  });

  it("is not blamed once it has answered", async () => {
    const server = new ServerProcess({ command: program("exec sleep 60"), args: [] }, 30);
    running.push(server);
    server.answered();
    const late = new Promise((resolve) => setTimeout(resolve, 80, "fine"));
    expect(await Promise.race([server.failure, late])).toBe("fine");
  });
});

describe("the first bytes of an output", () => {
  it.each(["Content-Length: 52\r\n", "Con", "content-type: x"])("%j can be a message's", (output) => {
    expect(startsLikeAMessage(output)).toBe(true);
  });

  it.each(["hello", "\n", "Usage: ghosttape", "{}"])("%j cannot", (output) => {
    expect(startsLikeAMessage(output)).toBe(false);
  });
});
