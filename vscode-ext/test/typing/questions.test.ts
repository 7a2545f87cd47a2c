import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Answer, Cache } from "../../src/typing/flights";
import type { Situation } from "../../src/typing/policies/pacing";
import { policyOf } from "../../src/typing/policies/policy";
import { type Question, Questions } from "../../src/typing/questions";
import { type Cancellation, Cancelling } from "../../src/typing/waiting";

/** VS Code's own wait before it asks, in ms. */
const EDITOR = 50;

/** An answer, of which the editor is given the text. */
function answer(text: string, cache: Cache = "none"): Answer<string> {
  return { items: text, text, cache, after: (typed) => answer(text.slice(typed.length), "typed") };
}

class Editor {
  readonly sent: { readonly at: number; readonly version: number; readonly request: Cancellation }[] = [];
  readonly answered: number[] = [];
  /** How much of what it is given it shows. */
  seen = 99;
  /** What it was said to show: document, version and text. */
  readonly shown: string[] = [];
  /** What the editor was told to ask for again. */
  readonly again: number[] = [];
  readonly questions: Questions<string>;
  answer = "text";
  cache: Cache = "none";
  latency = 0;
  /** The server ends before it answers. */
  isLost = false;
  /** By how many ms it tells of changes late. */
  late = 0;
  #version = 0;
  #cursor = 7;
  #token = new Cancelling();

  constructor(policy: string) {
    const listener = {
      answered: (latency: number): void => void this.answered.push(latency),
      shown: (key: string, version: number, text: string): void => void this.shown.push(`${key} ${String(version)} ${text}`),
      again: (): void => void this.again.push(Date.now()),
    };
    this.questions = new Questions(policyOf(policy), listener, () => Date.now());
  }

  /** A key that writes something elsewhere. */
  type(change: Partial<Situation> = {}): Promise<string | undefined> {
    this.questions.passOver("a.py", [{ offset: 90, length: 0, text: "x" }]);
    return this.#changed(change);
  }

  /** A change: the editor cancels what it asked before, and asks anew. */
  #changed(change: Partial<Situation>): Promise<string | undefined> {
    this.#token.cancel();
    this.#token = new Cancelling();
    this.questions.changed("a.py", ++this.#version, { ...situation(), ...change });
    return this.ask(EDITOR - this.late, { waited: EDITOR });
  }

  /** A key that writes a text at the cursor, which stands behind it then. */
  write(text: string): Promise<string | undefined> {
    const reason = this.questions.passOver("a.py", [{ offset: this.#cursor, length: 0, text }]) === "" ? null : "accept";
    this.#cursor += text.length;
    return this.#changed({ typed: text, reason });
  }

  /** The cursor goes elsewhere: in how many ms it is asked there. */
  move(change: Partial<Situation> = {}): number | undefined {
    this.#cursor = 40;
    return this.questions.moved("a.py", this.#version, { ...situation(), before: 40, changed: false, moved: true, ...change });
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
      offset: this.#cursor,
      invoked: false,
      waited: 0,
      selection: false,
      token,
      visible: (text) => text.slice(0, this.seen),
      send: async (request) => {
        this.sent.push({ at: Date.now(), version, request });
        const text = this.answer;
        await new Promise((resolve) => setTimeout(resolve, this.latency));
        return this.isLost ? undefined : answer(text, this.cache);
      },
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

  it.each([
    [0, 75],
    [13, 62],
    [30, 45],
    [31, 75], // so late is no telling: the question was asked about something else
  ])("counts from the change where it is told of it %i ms late, as the question shows", async (late, wait) => {
    const editor = new Editor("vscode:debounce=75");
    editor.late = late;
    expect(await burst(editor, 3, 200)).toEqual([wait, wait, wait]);
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

  it("asks the next server what the one before did not answer, whether it had been asked or not, and nothing else", async () => {
    const editor = new Editor("vscode");
    expect(editor.questions.isUnanswered("a.py")).toBe(false);
    editor.isLost = true;
    const lost = editor.type();
    expect(editor.questions.isUnanswered("a.py")).toBe(true); // nobody was asked yet
    await vi.advanceTimersByTimeAsync(100);
    expect(await lost).toBeUndefined();
    expect(editor.questions.isUnanswered("a.py")).toBe(true);
    editor.isLost = false;
    editor.latency = 500;
    const again = editor.ask();
    await vi.advanceTimersByTimeAsync(10);
    expect(editor.questions.isUnanswered("a.py")).toBe(false); // it is being asked
    await vi.advanceTimersByTimeAsync(1000);
    expect(await again).toBe("text");
    expect(editor.questions.isUnanswered("a.py")).toBe(false);
    expect(editor.sent).toHaveLength(2);
  });

  it("does not ask the next server what the policy does not ask about, nor what was answered with nothing or not at all", async () => {
    const gated = new Editor("cody");
    void gated.type({ left: "});" });
    expect(gated.questions.isUnanswered("a.py")).toBe(false);
    const editor = new Editor("vscode");
    editor.answer = "";
    void editor.type();
    await vi.advanceTimersByTimeAsync(100);
    expect(editor.questions.isUnanswered("a.py")).toBe(false);
    editor.questions.closed("a.py");
    expect(editor.questions.isUnanswered("a.py")).toBe(false);
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

  it("tabby learns nothing from a request that was given up, as in a replay", async () => {
    const editor = new Editor("tabby");
    editor.latency = 150;
    void editor.type();
    await vi.advanceTimersByTimeAsync(320);
    expect(editor.sent.length).toBe(1);
    void editor.type();
    await vi.advanceTimersByTimeAsync(180);
    const [began, first] = [Date.now(), 300]; // the first mean of 200 ms, times the rate at the end of a line in a document
    void editor.type();
    await vi.advanceTimersByTimeAsync(2000);
    expect(editor.sent.slice(1).map(({ at }) => at - began)).toEqual([first]);
  });

  it("tells the latency of what was answered in time", async () => {
    const editor = new Editor("vscode");
    editor.latency = 40;
    void editor.type();
    await vi.advanceTimersByTimeAsync(1000);
    expect(editor.answered).toEqual([40]);
  });

  it("does not ask after what a formatter changed, as in a replay, and asks after the next key", async () => {
    const editor = new Editor("every");
    void editor.type({ reason: "format" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(editor.sent).toEqual([]);
    void editor.type({ reason: "delete" });
    await vi.advanceTimersByTimeAsync(1000);
    expect(editor.sent).toHaveLength(1);
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

  it("asks where the cursor goes, if the policy does, and once for each line", async () => {
    const editor = new Editor("vscode:moves=true,line_cooldown=5000");
    void editor.type();
    await vi.advanceTimersByTimeAsync(300);
    expect(editor.move({ line: 8 })).toBe(50);
    await vi.advanceTimersByTimeAsync(50);
    const there = editor.ask();
    await vi.advanceTimersByTimeAsync(10);
    expect(await there).toBe("text");
    expect(editor.move({ line: 8 })).toBeUndefined();
    expect(editor.sent).toHaveLength(2);
    const still = new Editor("vscode");
    expect(still.move()).toBeUndefined();
  });

  it("does not take the cursor's way behind a key for a move", async () => {
    const editor = new Editor("vscode:moves=true");
    void editor.type();
    expect(editor.move()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(editor.sent).toHaveLength(1);
    expect(editor.move()).toBe(50);
  });

  it("zed does not ask while the suggestion is being typed, and goes on showing its rest", async () => {
    const editor = new Editor("zed");
    const first = editor.type();
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe("text");
    const along = editor.write("t");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await along).toBe("ext");
    expect(editor.sent).toHaveLength(1);
    const away = editor.write("#");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await away).toBe("text");
    expect(editor.sent).toHaveLength(2);
  });

  it("zed shows the rest of an answer to an older text, if that was typed meanwhile", async () => {
    const editor = new Editor("zed");
    editor.latency = 400;
    void editor.type();
    await vi.advanceTimersByTimeAsync(100);
    const second = editor.write("te");
    await vi.advanceTimersByTimeAsync(380);
    expect(await second, "the answer to the first question").toBe("xt");
    const off = new Editor("every");
    off.latency = 400;
    void off.type();
    await vi.advanceTimersByTimeAsync(100);
    off.answer = "other";
    const other = off.write("te");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await other).toBe("other");
  });

  it("zed lets the editor ask again for what came when it did not wait, and an answer that says something else replaces nothing", async () => {
    const editor = new Editor("zed");
    editor.latency = 400;
    void editor.type();
    await vi.advanceTimersByTimeAsync(420);
    editor.answer = "other";
    const second = editor.write("te");
    await vi.advanceTimersByTimeAsync(31); // the first answer comes before the editor asks about the second key
    expect(editor.again).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await second).toBe("xt");
    expect(editor.sent).toHaveLength(1);
    const byHand = editor.ask(0, { invoked: true });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await byHand, "other").toBe("xt");
  });

  it("an answer ends the requests before it, where the policy counts them", async () => {
    const editor = new Editor("zed");
    editor.latency = 1000;
    void editor.type();
    await vi.advanceTimersByTimeAsync(400);
    editor.latency = 100;
    void editor.type();
    await vi.advanceTimersByTimeAsync(200);
    expect(editor.sent.map(({ request }) => request.isCancellationRequested)).toEqual([true, false]);
  });

  it.each([
    ["copilot", "none", 200],
    ["copilot", "prefix", 200],
    ["copilot", "typed", 0],
    ["copilot-nes", "prefix", 100],
    ["copilot-nes", "typed", 0],
  ] as const)("%s shows an answer of the kind %s at the earliest %i ms after its request", async (policy, cache, wait) => {
    const editor = new Editor(policy);
    editor.cache = cache;
    let shown = 0;
    void editor.type({ right: policy === "copilot" ? "" : " + 1" }).then(() => (shown = Date.now()));
    await vi.advanceTimersByTimeAsync(9000);
    expect([wait, wait + 1]).toContain(shown - (editor.sent[0]?.at ?? 0)); // the answer itself takes 1 ms of made-up time
  });

  it("forgets with the server what it had ready, and what is shown", async () => {
    const editor = new Editor("zed");
    void editor.type();
    await vi.advanceTimersByTimeAsync(100);
    const rest = editor.write("te");
    await vi.advanceTimersByTimeAsync(1000);
    expect(await rest).toBe("xt");
    editor.questions.forget();
    expect(editor.questions.dismissed("a.py")).toBe(false);
    const next = editor.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await next).toBe("text");
    expect(editor.sent).toHaveLength(2);
  });

  it("says only what the editor shows of what it is given", async () => {
    const editor = new Editor("vscode");
    editor.seen = 2;
    const given = editor.type();
    await vi.advanceTimersByTimeAsync(100);
    expect(await given).toBe("text");
    expect(editor.shown).toEqual(["a.py 1 te"]);
  });

  it("copilot says of what is shown in which version, and nothing of what it withheld until the next key", async () => {
    const editor = new Editor("copilot");
    void editor.type();
    await vi.advanceTimersByTimeAsync(150);
    void editor.type();
    await vi.advanceTimersByTimeAsync(9000);
    expect(editor.sent.map(({ version }) => version)).toEqual([1, 2]);
    expect(editor.shown).toEqual(["a.py 2 text"]);
  });
});
