import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ExtensionContext, Uri } from "vscode";
import { beforeEach, expect, it, vi } from "vitest";

import type { Scene } from "../../src/replaying/scene";
import type { VirtualDocuments } from "../../src/results/documents";
import { RunFolders } from "../../src/results/runs";
import { NEEDS_TRUST, Turn } from "../../src/results/turn";
import type { ResultsView } from "../../src/results/view";

interface FakeEditor {
  readonly document: { readonly uri: { toString(): string }; getText(): string };
  readonly drawn: unknown[];
  setDecorations(type: unknown, ranges: unknown[]): void;
  revealRange(): void;
}

const fake = vi.hoisted(() => ({
  isTrusted: true,
  editors: [] as unknown[],
  changed: undefined as unknown as (event: { document: unknown }) => void,
  said: [] as string[],
  chosen: undefined as string | undefined,
  folders: [] as string[],
  picked: undefined as string | undefined,
}));

vi.mock("vscode", () => {
  const disposable = { dispose: () => undefined };
  return {
    Disposable: { from: () => disposable },
    Range: class {
      readonly end = {};
      readonly isEmpty = false;
    },
    StatusBarAlignment: {},
    TextEditorRevealType: {},
    ThemeColor: Object,
    commands: { registerCommand: () => disposable, executeCommand: () => Promise.resolve() },
    window: {
      createStatusBarItem: () => ({ show: () => undefined, hide: () => undefined }),
      createTextEditorDecorationType: () => ({}),
      showTextDocument: () => Promise.resolve(),
      showInformationMessage: (words: string) => Promise.resolve(fake.said.push(words)),
      showErrorMessage: (words: string) => {
        fake.said.push(words);
        return Promise.resolve(fake.chosen);
      },
      showWarningMessage: (words: string) => {
        fake.said.push(words);
        return Promise.resolve(fake.chosen);
      },
      showOpenDialog: () => Promise.resolve(fake.picked === undefined ? undefined : [{ fsPath: fake.picked }]),
      get visibleTextEditors() {
        return fake.editors;
      },
    },
    RelativePattern: Object,
    workspace: {
      get isTrusted() {
        return fake.isTrusted;
      },
      get workspaceFolders() {
        return fake.folders.map((path) => ({ uri: { scheme: "file", fsPath: path } }));
      },
      openTextDocument: () => Promise.resolve({}),
      onDidChangeTextDocument: (listener: (event: { document: unknown }) => void) => {
        fake.changed = listener;
        return disposable;
      },
    },
  };
});

const { Replaying } = await import("../../src/replaying/feature");
const { ServerLost } = await import("../../src/server/lost");

const scene: Scene = { tape: "ledger", path: "a.py", text: "x = 1\n", start: 4, end: 4, t: 0, duration: 1, ghost: null };

function uri(text: string): Uri {
  return { path: text.split(":")[1], toString: () => text } as unknown as Uri;
}

function editor(at: string): FakeEditor {
  const drawn: unknown[] = [];
  const document = { uri: uri(at), getText: () => scene.text };
  return { document, drawn, setDecorations: (_, ranges) => void drawn.push(...ranges), revealRange: () => undefined };
}

interface Played {
  readonly replay: InstanceType<typeof Replaying>;
  readonly orders: string[];
  readonly options: unknown[];
  readonly shown: string[];
  readonly end: (leftOut?: object[]) => void;
  readonly fail: (error: Error) => void;
}

function replaying(turn: Turn): Played {
  const orders: string[] = [];
  const shown: string[] = [];
  const options: unknown[] = [];
  let end: (leftOut?: object[]) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const execute = (command: string, order: unknown): Promise<unknown> => {
    orders.push(command);
    options.push((order as { options: unknown }).options);
    return new Promise((resolve, reject) => {
      end = (leftOut = []) => { resolve({ run: "run", left_out: leftOut }); };
      fail = reject;
    });
  };
  const context = { subscriptions: [] } as unknown as ExtensionContext;
  const documents = { put: () => uri("ghosttape-replay:/a.py") } as unknown as VirtualDocuments;
  const results = { show: (run: string) => Promise.resolve(shown.push(run)) } as unknown as ResultsView;
  const replay = new Replaying(context, execute, turn, documents, results, new RunFolders(() => fake.folders, () => fake.isTrusted, "/own"));
  return { replay, orders, options, shown, end: (leftOut) => { end(leftOut); }, fail: (error) => { fail(error); } };
}

beforeEach(() => {
  Object.assign(fake, { isTrusted: true, editors: [], said: [], chosen: undefined, folders: [], picked: undefined });
});

it("draws in its own document, never in a file that looks the same, and nowhere when it is over", async () => {
  const { replay, end } = replaying(new Turn());
  const [own, file] = [editor("ghosttape-replay:/a.py"), editor("file:/home/me/a.py")];
  fake.editors = [own, file];
  const over = replay.play("t", { policy: "blocks", tests: false });
  await replay.take(scene);
  const drawn = own.drawn.length;
  expect(drawn).toBeGreaterThan(0);
  fake.changed({ document: file.document });
  end();
  await over;
  fake.changed({ document: own.document });
  fake.changed({ document: file.document });
  await replay.take(scene);
  expect([own.drawn.length, file.drawn.length]).toEqual([drawn, 0]);
});

it("does not begin while an evaluation goes on", async () => {
  const turn = new Turn();
  const end = turn.begin("evaluation");
  const { replay, orders } = replaying(turn);
  await replay.play("t", { policy: "blocks", tests: false });
  expect(orders).toEqual([]);
  expect(fake.said).toEqual(["An evaluation is still running: wait for it, or cancel it."]);
  end();
});

it("runs no tests in a workspace that is not trusted", async () => {
  fake.isTrusted = false;
  const { replay, orders, end } = replaying(new Turn());
  await replay.play("t", { policy: "blocks", tests: true });
  expect(orders).toEqual([]);
  expect(fake.said).toEqual([NEEDS_TRUST]);
  const over = replay.play("t", { policy: "blocks", tests: false });
  expect(orders).toEqual(["ghosttape.replay"]);
  end();
  await over;
});

it.each([
  { chosen: undefined, shown: 0 },
  { chosen: "Show Its Results", shown: 1 },
])("says that the server ended meanwhile, and shows what was replayed if it is asked for ($chosen)", async ({ chosen, shown }) => {
  fake.chosen = chosen;
  const turn = new Turn();
  const played = replaying(turn);
  const over = played.replay.play("/tapes/shop.tape.jsonl", { policy: "blocks", tests: false });
  played.fail(new ServerLost());
  await over;
  await Promise.resolve();
  expect(fake.said).toEqual(["The replay has stopped: the ghosttape server ended meanwhile, and is started again. What was replayed until then is kept."]);
  expect(played.shown).toHaveLength(shown);
  expect(turn.refusal()).toBeUndefined();
});

it("takes policies, tests and projects from the folders of the window, as the command line does there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  writeFileSync(join(folder, "ghosttape.toml"), "[policies.mine]\nbase = 'vscode'\ndebounce = 125\n[tests]\ncommand = 'pytest -q'\n");
  fake.folders = [folder, "/other"];
  const { replay, options, end } = replaying(new Turn());
  for (const tests of [true, false]) {
    const over = replay.play("t", { policy: "mine", tests });
    end();
    await over;
  }
  rmSync(folder, { recursive: true });
  const untested = { policy: "mine", policies: { mine: { base: "vscode", debounce: 125 } } };
  const tested = { ...untested, projects: [folder, "/other"], project_tests: { command: "pytest -q" } };
  expect(options).toEqual([{ ...tested, tests: true }, { ...untested, tests: false }]);
});

it("says what is wrong with the folder's ghosttape.toml", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ghosttape-"));
  writeFileSync(join(folder, "ghosttape.toml"), "[policies\n");
  fake.folders = [folder];
  const { replay, orders } = replaying(new Turn());
  await replay.play("t", { policy: "blocks", tests: false });
  rmSync(folder, { recursive: true });
  expect([orders, fake.said.join("")]).toEqual([[], expect.stringMatching(/^The tape cannot be replayed: ghosttape.toml, line 1/)]);
});

it("says that a tape was not played, and why", async () => {
  const { replay, end } = replaying(new Turn());
  const over = replay.play("t", { policy: "blocks", tests: true });
  end([{ tape: "t", reason: "its own tests fail" }]);
  await over;
  expect(fake.said).toEqual(["The tape was not played: its own tests fail"]);
});

it("lets the person say where the project of a tape is that no open folder has", async () => {
  Object.assign(fake, { folders: ["/shop"], chosen: "Choose the Folder of Its Project…", picked: "/clone" });
  const { replay, options, end, shown } = replaying(new Turn());
  const over = replay.play("t", { policy: "blocks", tests: true });
  end([{ tape: "t", reason: "…", project: "https://example.org/r.git at c0ffeec0ff" }]);
  await over;
  await vi.waitFor(() => { expect(options).toHaveLength(2); });
  end();
  await vi.waitFor(() => { expect(shown).toHaveLength(2); });
  expect(fake.said[0]).toContain("its project is https://example.org/r.git at c0ffeec0ff");
  expect(options).toMatchObject([{ projects: ["/shop"] }, { projects: ["/clone", "/shop"] }]);
});
