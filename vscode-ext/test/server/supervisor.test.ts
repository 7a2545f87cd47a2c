import type { LogOutputChannel } from "vscode";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ClientListener, GhostClient } from "../../src/server/client";
import type { ServerState } from "../../src/server/state";
import { Supervisor } from "../../src/server/supervisor";
import { PassingError, SetupError } from "../../src/setup/errors";

/** A client whose server starts when it is told to. */
class FakeClient {
  readonly listener: ClientListener;
  retired = 0;
  begun = 0;
  answer: () => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;

  readonly #answers: boolean;

  constructor(listener: ClientListener, answers: boolean) {
    this.listener = listener;
    this.#answers = answers;
  }

  begin(): Promise<string> {
    this.begun++;
    return new Promise((resolve, reject) => {
      this.answer = () => {
        resolve("0.1.0");
      };
      this.fail = reject;
      if (this.#answers) {
        this.answer();
      }
    });
  }

  retire(): Promise<void> {
    this.retired++;
    this.fail(new Error("the connection is gone"));
    return Promise.resolve();
  }
}

class Window {
  readonly clients: FakeClient[] = [];
  readonly states: ServerState[] = [];
  readonly reported: unknown[] = [];
  readonly problems: string[] = [];
  answers = true;
  setupError: SetupError | undefined;
  /** What a start waits for before its client is made: environment, keys. */
  prepared: Promise<void> = Promise.resolve();
  readonly supervisor = new Supervisor({
    log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
    prepare: (listener) => {
      if (this.setupError !== undefined) {
        return Promise.reject(this.setupError);
      }
      const client = new FakeClient(listener, this.answers);
      this.clients.push(client);
      return this.prepared.then(() => ({ client: client as unknown as GhostClient, command: "/bin/gt" }));
    },
    show: (state) => void this.states.push(state),
    report: (error) => void this.reported.push(error),
    requestFailed: (reason) => void this.problems.push(reason),
  });

  get last(): FakeClient {
    const client = this.clients.at(-1);
    if (client === undefined) {
      throw new Error("no client was made");
    }
    return client;
  }

  get state(): ServerState | undefined {
    return this.states.at(-1);
  }

  /** The server's process ends, and `ms` pass. */
  async kill(ms: number): Promise<void> {
    this.last.listener.ended();
    await vi.advanceTimersByTimeAsync(ms);
  }
}

let window: Window;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  window = new Window();
});

afterEach(async () => {
  await window.supervisor.stop();
  expect(vi.getTimerCount(), "timers left behind").toBe(0);
  vi.useRealTimers();
});

describe("a supervised server", () => {
  it("is shown while it starts and when it runs", async () => {
    await window.supervisor.restart();
    expect(window.states).toEqual([{ kind: "starting" }, { kind: "running", command: "/bin/gt", version: "0.1.0" }]);
    expect(window.supervisor.client).toBe(window.last);
  });

  it("is there again at once each time it is killed after it ran well", async () => {
    await window.supervisor.restart();
    for (let kill = 0; kill < 10; kill++) {
      await vi.advanceTimersByTimeAsync(18_000);
      await window.kill(1);
      expect(window.state?.kind).toBe("running");
    }
    expect(window.clients).toHaveLength(11);
    expect(window.clients.slice(0, -1).every(({ retired }) => retired > 0)).toBe(true);
    expect(window.reported).toEqual([]);
  });

  it("waits for an edit after it ended quickly again and again, and is never given up", async () => {
    await window.supervisor.restart();
    for (let kill = 0; kill < 6; kill++) {
      await window.kill(60_000 * Number(kill === 5) + 3000 * Number(kill < 5));
      window.supervisor.edited();
    }
    expect(window.states.filter(({ kind }) => kind === "ended")).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(1);
    expect(window.state?.kind).toBe("running");
    expect(window.clients).toHaveLength(7);
  });

  it("does not start by itself after quick ends while nobody edits", async () => {
    await window.supervisor.restart();
    for (let kill = 0; kill < 6; kill++) {
      await window.kill(3000);
    }
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(window.state).toEqual({ kind: "ended", wait: 3200, onEdit: true });
    expect(window.clients).toHaveLength(6);
  });

  it("is reported once when it cannot be started, and left alone", async () => {
    window.setupError = new SetupError("there is no ghosttape", "ghosttape.server.path", "install");
    await window.supervisor.restart();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(window.reported).toEqual([window.setupError]);
    expect(window.state).toEqual({ kind: "failed", reason: "there is no ghosttape" });
  });

  it("is tried again when its program is gone for a while, as in an update", async () => {
    await window.supervisor.restart();
    window.setupError = new SetupError("there is no ghosttape", "ghosttape.server.path", "install");
    await window.kill(250);
    expect(window.state?.kind).toBe("ended");
    window.setupError = undefined;
    await vi.advanceTimersByTimeAsync(5000);
    expect(window.state?.kind).toBe("running");
    expect(window.reported).toEqual([]);
  });

  it("is given up while it starts when the person wants another, which is no failure", async () => {
    window.answers = false;
    const first = window.supervisor.restart();
    await vi.advanceTimersByTimeAsync(10);
    window.answers = true;
    await Promise.all([first, window.supervisor.restart()]);
    expect(window.reported).toEqual([]);
    expect(window.clients).toHaveLength(2);
    expect(window.state?.kind).toBe("running");
  });

  it("is given up before it begins when the person wants another while it is prepared: its settings are those of before", async () => {
    let prepared: () => void = () => undefined;
    window.prepared = new Promise((resolve) => { prepared = resolve; });
    const first = window.supervisor.restart();
    await vi.advanceTimersByTimeAsync(10);
    const second = window.supervisor.restart();
    prepared();
    await Promise.all([first, second]);
    expect(window.clients.map(({ begun, retired }) => [begun, retired])).toEqual([[0, 1], [1, 0]]);
    expect(window.supervisor.client).toBe(window.last);
    expect(window.reported).toEqual([]);
  });

  it.each([new PassingError("it has not answered for 60 s", "ghosttape.server.path"), new Error("the pipe is closed")])(
    "is tried again when its first start fails and the reason may pass (%s), and the person is told once",
    async (error) => {
      window.answers = false;
      const first = window.supervisor.restart();
      await vi.advanceTimersByTimeAsync(1);
      window.last.fail(error);
      await first;
      expect(window.state).toEqual({ kind: "ended", wait: 100, onEdit: false });
      await vi.advanceTimersByTimeAsync(101);
      window.last.fail(error);
      await vi.advanceTimersByTimeAsync(1);
      window.answers = true;
      await vi.advanceTimersByTimeAsync(1000);
      expect(window.reported).toEqual([error]);
      expect(window.clients).toHaveLength(3);
      expect(window.state?.kind).toBe("running");
    },
  );

  it("is not started again after the window closed", async () => {
    await window.supervisor.restart();
    await window.supervisor.stop();
    await window.kill(60_000);
    expect(window.clients).toHaveLength(1);
  });

  it("tells why requests fail", async () => {
    await window.supervisor.restart();
    window.last.listener.requestFailed("no connection");
    expect(window.problems).toEqual(["no connection"]);
  });
});
