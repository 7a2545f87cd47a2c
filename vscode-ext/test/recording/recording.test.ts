import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ExtensionContext } from "vscode";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const fake = vi.hoisted(() => ({
  isTrusted: true,
  granted: [] as (() => void)[],
  keys: [] as boolean[],
  said: [] as string[],
  asked: [] as { readonly question: string; readonly detail: string }[],
  /** Which of the offered recordings the person picks; undefined: those that are picked already. */
  picks: undefined as ((label: { readonly description: string }) => boolean) | undefined,
}));

vi.mock("vscode", () => ({
  Task: Object,
  TaskScope: {},
  Uri: { file: (path: string) => ({ toString: () => `file://${path}` }) },
  commands: { executeCommand: (_command: string, _key: string, isRecording: boolean) => void fake.keys.push(isRecording) },
  window: {
    showInformationMessage: (words: string) => Promise.resolve(void fake.said.push(words)),
    showWarningMessage: (question: string, { detail }: { detail: string }, answer: string) => {
      fake.asked.push({ question, detail });
      return Promise.resolve(answer);
    },
    showQuickPick: (items: { readonly picked: boolean; readonly description: string }[]) =>
      Promise.resolve(items.filter((item) => fake.picks?.(item) ?? item.picked)),
  },
  workspace: {
    get isTrusted() {
      return fake.isTrusted;
    },
    workspaceFolders: [{ uri: { scheme: "file", toString: () => "file:///home/me/shop" } }],
    onDidGrantWorkspaceTrust: (listener: () => void) => fake.granted.push(listener),
  },
}));

const { Recording } = await import("../../src/recording/recording");
const { RecordingChoice } = await import("../../src/recording/consent");

class Memory {
  readonly #values = new Map<string, unknown>();

  get(name: string): unknown {
    return this.#values.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.#values.set(name, value);
    return Promise.resolve();
  }
}

let storage: string;
let memory: Memory;
let restarts: number;

beforeEach(async () => {
  Object.assign(fake, { isTrusted: true, granted: [], keys: [], said: [], asked: [], picks: undefined });
  storage = mkdtempSync(join(tmpdir(), "ghosttape-"));
  memory = new Memory();
  restarts = 0;
  await new RecordingChoice(memory).choose("on");
});

afterEach(() => {
  rmSync(storage, { recursive: true });
});

function recording(): InstanceType<typeof Recording> {
  const context = { workspaceState: memory, globalStorageUri: { fsPath: storage }, subscriptions: [] } as unknown as ExtensionContext;
  return new Recording(context, () => {
    restarts++;
    return Promise.resolve();
  });
}

/** A session of a server that has written a tape. */
function recorded(window: InstanceType<typeof Recording>): string {
  const folder = window.nextSession() ?? "";
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "x.tape.jsonl"), "{}\n");
  return folder;
}

describe("Delete This Recording", () => {
  it("says that there is none, and asks nothing", async () => {
    const window = recording();
    await window.stop();
    await window.deleteTape();
    expect(fake.said).toEqual(["There is no recording of this workspace yet."]);
    expect(fake.asked).toEqual([]);
  });

  it("deletes after a reload, and after the recording was stopped, what was recorded before", async () => {
    const before = recorded(recording());
    const window = recording();
    await window.stop();
    await window.deleteTape();
    expect(fake.asked).toEqual([{ question: "Delete this recording?", detail: before }]);
    expect(existsSync(before)).toBe(false);
  });

  it("pauses where the recording that goes on is deleted, also before its tape is written", async () => {
    const window = recording();
    const folder = window.nextSession() ?? "";
    await window.deleteTape();
    expect(fake.asked).toEqual([{ question: "Delete this recording? The recording pauses.", detail: folder }]);
    expect([window.state, restarts]).toEqual(["paused", 1]);
  });

  it("keeps what the person does not choose, and goes on where that is kept", async () => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
    const before = recorded(recording());
    vi.setSystemTime(2_000_000);
    const window = recording();
    const now = recorded(window);
    vi.useRealTimers();
    fake.picks = ({ description }) => !description.includes("this window");
    await window.deleteTape();
    expect([before, now].map((folder) => existsSync(folder))).toEqual([false, true]);
    expect(window.state).toBe("on");
  });
});

it("binds its keys as soon as the workspace is trusted", () => {
  fake.isTrusted = false;
  recording();
  fake.isTrusted = true;
  for (const listener of fake.granted) {
    listener();
  }
  expect(fake.keys).toEqual([false, true]);
});
