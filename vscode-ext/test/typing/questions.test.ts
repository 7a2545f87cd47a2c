import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Situation } from "../../src/typing/pacing";
import { policyOf } from "../../src/typing/policy";
import { type Question, Questions } from "../../src/typing/questions";
import { type Cancellation, Cancelling } from "../../src/typing/waiting";

/** VS Code's own wait before it asks, in ms. */
const EDITOR = 50;

class Editor {
  readonly sent: { readonly at: number; readonly version: number; readonly request: Cancellation }[] = [];
  readonly answered: number[] = [];
  readonly questions: Questions;
  answer = "text";
  latency = 0;
  #version = 0;
  #token = new Cancelling();

  constructor(policy: string) {
    const listener = { answered: (latency: number): void => void this.answered.push(latency) };
    this.questions = new Questions(policyOf(policy), listener, () => Date.now());
  }

  /** A key: the editor cancels what it asked before, and asks anew. */
  type(change: Partial<Situation> = {}): Promise<string | undefined> {
    this.#token.cancel();
    this.#token = new Cancelling();
    this.questions.changed("a.py", ++this.#version, { ...situation(), ...change });
    return this.ask(EDITOR);
  }

  /** The editor asks once more, without a change. */
  async ask(after = 0, members: Partial<Question<string>> = {}): Promise<string | undefined> {
    const token = this.#token;
    const question = this.question(token);
    if (after > 0) {
      await new Promise((resolve) => setTimeout(resolve, after));
    }
    return token.isCancellationRequested ? undefined : this.questions.ask({ ...question, ...members });
  }

  question(token: Cancellation): Question<string> {
    const version = this.#version;
    return {
      key: "a.py",
      version,
      offset: 7,
      invoked: false,
      selection: false,
      token,
      send: async (request) => {
        this.sent.push({ at: Date.now(), version, request });
        await new Promise((resolve) => setTimeout(resolve, this.latency));
        return this.answer;
      },
      length: (answer) => answer.length,
    };
  }

  cancel(): void {
    this.#token.cancel();
    this.#token = new Cancelling();
  }
}

function situation(): Situation {
  return {
    now: Date.now(),
    path: "a.py",
    line: 3,
    left: "    return ",
    right: "",
    before: 90,
    after: 0,
    wordless: true,
    typed: "x",
    reason: null,
    focused: true,
    cursors: 1,
    changed: true,
    moved: false,
  };
}

/** Type keys every `gap` ms, wait, and give the times after each request's change. */
async function burst(editor: Editor, keys: number, gap: number): Promise<number[]> {
  const began = Date.now();
  for (let key = 0; key < keys; key++) {
    void editor.type();
    await vi.advanceTimersByTimeAsync(gap);
  }
  await vi.advanceTimersByTimeAsync(20_000);
  return editor.sent.map(({ at, version }) => at - began - (version - 1) * gap);
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("an editor with a policy", () => {
  it.each([
    ["vscode", 50],
    ["vscode:debounce=75", 75],
    ["pause:250", 250],
    ["continue", 350],
    ["copilot", 50], // VS Code does not ask earlier
  ])("%s asks once after a burst of keys, %i ms after the last change", async (policy, wait) => {
    expect(await burst(new Editor(policy), 5, 30)).toEqual([wait]);
  });

  it("asks after each key that is followed by a pause long enough", async () => {
    expect(await burst(new Editor("vscode"), 4, 60)).toEqual([50, 50, 50, 50]);
  });

  it("does not ask where a gate of the policy is shut, and by hand asks nevertheless and at once", async () => {
    const editor = new Editor("cody");
    void editor.type({ left: "});" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(editor.sent).toEqual([]);
    const byHand = editor.ask(0, { invoked: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(await byHand).toBe("text");
    expect(editor.sent).toHaveLength(1);
  });

  it("does not ask before the first change, after a move of the cursor, or while text is selected", async () => {
    const editor = new Editor("vscode");
    expect(await editor.ask()).toBeUndefined();
    void editor.type();
    await vi.advanceTimersByTimeAsync(100);
    await editor.ask(0, { offset: 99 });
    await editor.ask(0, { selection: true });
    expect(editor.sent).toHaveLength(1);
  });

  it("gives the same answer when the editor asks again without a change, and sends nothing", async () => {
    const editor = new Editor("vscode");
    const first = editor.type();
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe("text");
    editor.cancel(); // VS Code is done with the first question
    expect(await editor.ask()).toBe("text");
    expect(editor.sent).toHaveLength(1);
  });

  it("sends a request again that was cancelled although nothing changed", async () => {
    const editor = new Editor("vscode");
    editor.latency = 500;
    void editor.type();
    await vi.advanceTimersByTimeAsync(100);
    editor.cancel();
    const again = editor.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await again).toBe("text");
    expect(editor.sent.map(({ request }) => request.isCancellationRequested)).toEqual([true, false]);
  });

  it.each([
    ["vscode", true],
    ["copilot", false],
    ["every", false],
  ])("%s cancels a request at the next key: %s", async (policy, cancelled) => {
    const editor = new Editor(policy);
    editor.latency = 500;
    const first = editor.type();
    await vi.advanceTimersByTimeAsync(100);
    void editor.type();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await first, "an answer to a text that is no more").toBeUndefined();
    expect(editor.sent.map(({ request }) => request.isCancellationRequested)).toEqual([cancelled, false]);
  });

  it("zed has two requests under way at most: a third replaces the last, and they are 300 ms apart", async () => {
    const editor = new Editor("zed");
    editor.latency = 5000;
    const waits = await burst(editor, 3, 400);
    expect(waits).toEqual([50, 50, 50]);
    expect(editor.sent.map(({ request }) => request.isCancellationRequested)).toEqual([false, true, false]);
    const quick = new Editor("zed");
    await burst(quick, 2, 100);
    expect((quick.sent[1]?.at ?? 0) - (quick.sent[0]?.at ?? 0)).toBe(300);
  });

  it("copilot shows nothing earlier than 200 ms after its request", async () => {
    const editor = new Editor("copilot");
    let shown = 0;
    const began = Date.now();
    void editor.type().then(() => (shown = Date.now() - began));
    await vi.advanceTimersByTimeAsync(1000);
    expect(shown).toBe(EDITOR + 200);
  });

  it("tabby does not show answers of three characters", async () => {
    const editor = new Editor("tabby");
    editor.answer = "abc";
    const short = editor.type();
    await vi.advanceTimersByTimeAsync(3000);
    expect(await short).toBeUndefined();
  });

  it("tells the latency of what was answered in time", async () => {
    const editor = new Editor("vscode");
    editor.latency = 40;
    void editor.type();
    await vi.advanceTimersByTimeAsync(1000);
    expect(editor.answered).toEqual([40]);
  });

  it("tells of an answer that offers nothing too: the model is alive", async () => {
    const editor = new Editor("vscode");
    editor.answer = "";
    const nothing = editor.type();
    await vi.advanceTimersByTimeAsync(100);
    expect(await nothing).toBeUndefined();
    expect(editor.answered).toHaveLength(1);
  });

  it("passes on the failure of a request, and sends the next one", async () => {
    const editor = new Editor("vscode");
    const failing = { ...editor.question(new Cancelling()), invoked: true, send: () => Promise.reject(new Error("no model")) };
    await expect(editor.questions.ask(failing)).rejects.toThrow("no model");
    expect(await burst(editor, 1, 10)).toEqual([50]);
  });

  it("at ten keys a second against a model of 2 s has one request under way at most", async () => {
    const editor = new Editor("vscode:debounce=75");
    editor.latency = 2000;
    let most = 0;
    for (let key = 0; key < 600; key++) {
      void editor.type();
      await vi.advanceTimersByTimeAsync(100);
      most = Math.max(most, editor.sent.filter(({ at, request }) => !request.isCancellationRequested && Date.now() - at < 2000).length);
    }
    expect(most).toBe(1);
    expect(editor.sent).toHaveLength(600);
  });
});
