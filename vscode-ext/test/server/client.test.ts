import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, ConnectionErrors, ErrorCodes, ResponseError } from "vscode-languageclient/node";

import { GhostClient } from "../../src/server/client";
import { ServerLost } from "../../src/server/lost";

const [CONTINUE, SHUTDOWN] = [1, 2];

vi.mock("vscode", () => ({}));
vi.mock("../../src/typing/languages", () => ({ DOCUMENTS: [] }));
vi.mock("vscode-languageclient/node", () => {
  /** As the library's own: it goes on after three errors of a connection that are counted, and shuts down at any other. */
  class LanguageClient {
    initializeResult = {};
    needsStop(): boolean {
      return true;
    }
    createDefaultErrorHandler(): object {
      return { error: (_error: Error, _message: unknown, count?: number) => ({ action: (count ?? 4) <= 3 ? 1 : 2 }) };
    }
    handleFailedRequest(_type: unknown, _token: unknown, _error: unknown, defaultValue: unknown): unknown {
      return defaultValue;
    }
  }
  class ResponseError extends Error {
    readonly code: number;
    constructor(code: number) {
      super();
      this.code = code;
    }
  }
  return {
    LanguageClient,
    ResponseError,
    ConnectionError: class extends Error {},
    ConnectionErrors: { Closed: 1 },
    InlineCompletionRequest: { method: "textDocument/inlineCompletion" },
    ErrorAction: { Continue: 1, Shutdown: 2 },
    CloseAction: { DoNotRestart: 1 },
    ErrorCodes: { PendingResponseRejected: -32097, ConnectionInactive: -32098, MessageWriteError: -32099, MessageReadError: -32095 },
  };
});

describe("a request that fails", () => {
  const ask = (error: Error, method: string): unknown => {
    const client = new GhostClient({ command: "true", args: [] }, {}, { ended: vi.fn(), requestFailed: vi.fn() });
    return client.handleFailedRequest({ method } as never, undefined, error, "nothing");
  };
  const lost = new ResponseError(ErrorCodes.PendingResponseRejected, "");

  it("because the server ended says so where a completion was wanted, for it can be asked again", () => {
    expect(() => ask(lost, "textDocument/inlineCompletion")).toThrow(ServerLost);
    expect(() => ask(new ConnectionError(ConnectionErrors.Closed, ""), "textDocument/inlineCompletion")).toThrow(ServerLost);
    expect(ask(lost, "textDocument/hover")).toBe("nothing");
  });

  it("for another reason fails as it does in the library", () => {
    expect(ask(new Error("the model is away"), "textDocument/inlineCompletion")).toBe("nothing");
  });
});

describe.skipIf(process.platform === "win32")("an error of the connection", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function handler(): { handling: ReturnType<GhostClient["createDefaultErrorHandler"]>; pid: () => number } {
    const [file, listener] = [join(folder, "pid"), { ended: vi.fn(), requestFailed: vi.fn() }];
    const start = { command: "sh", args: ["-c", `echo $$ > ${file}; exec sleep 60`] };
    const client = new GhostClient(start, {}, listener);
    return { handling: client.createDefaultErrorHandler(), pid: () => Number(readFileSync(file, "utf8")) };
  }

  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it("does not matter to a server that is told to end: it has the time that it is given, and has ended when that is reported", async () => {
    const [file, listener] = [join(folder, "pid"), { ended: vi.fn(), requestFailed: vi.fn() }];
    const start = { command: "sh", args: ["-c", `echo $$ > ${file}; exec sleep 60`] };
    const farewell = { patience: 70_000, follow: vi.fn() };
    const client = new GhostClient(start, {}, listener, farewell);
    let finish: () => void = () => undefined;
    const stop = vi.fn(() => new Promise<void>((resolve) => { finish = resolve; }));
    Object.assign(client, { stop });
    const pid = (): number => Number(readFileSync(file, "utf8"));
    await vi.waitFor(() => { expect(pid()).toBeGreaterThan(0); });
    const retired = client.retire();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stop).toHaveBeenCalledWith(70_000);
    expect(farewell.follow).toHaveBeenCalledOnce();
    expect(isAlive(pid())).toBe(true);
    finish();
    await retired;
    expect(isAlive(pid())).toBe(false);
  });

  it("that passes leaves the server alone", async () => {
    const { handling, pid } = handler();
    await vi.waitFor(() => { expect(pid()).toBeGreaterThan(0); });
    expect(await handling.error(new Error("write EPIPE"), undefined, 1)).toEqual({ action: CONTINUE, handled: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(pid())).toBe(true);
    process.kill(pid());
  });

  it("that would shut the client down ends the process instead, for its end is told and it is started again", async () => {
    const { handling, pid } = handler();
    await vi.waitFor(() => { expect(pid()).toBeGreaterThan(0); });
    const { action } = await handling.error(new Error("write EPIPE"), undefined, undefined);
    expect(action).toBe(CONTINUE);
    expect(action).not.toBe(SHUTDOWN);
    await vi.waitUntil(() => !isAlive(pid()));
  });
});
