import { basename } from "node:path";

import {
  commands,
  Disposable,
  type ExtensionContext,
  Range,
  StatusBarAlignment,
  type TextEditor,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";

import type { VirtualDocuments } from "../results/documents";
import type { RunFolders } from "../results/runs";
import { placeOf, showsText } from "../results/texts";
import { NEEDS_TRUST, type Turn } from "../results/turn";
import type { Execute, ResultsView } from "../results/view";
import { ServerLost } from "../server/lost";
import { causeOf } from "../setup/errors";
import { ownReplayOptions } from "../typing/policies/configured";
import { nextSpeed, positionOf, type Scene, shownScene, type ShownScene } from "./scene";

const GROUP = "replay";
const SHOW = "Show Its Results";
const CHOOSE_PROJECT = "Choose the Folder of Its Project…";
const PLAYING = "ghosttape.replaying";
const COLOURS = { offered: "editorGhostText.foreground", accepted: "testing.iconPassed", rejected: "testing.iconFailed" } as const;

interface Where {
  readonly paused: boolean;
  readonly speed: number | null;
}

/** How a tape is replayed. */
interface ReplayChoice {
  readonly policy: string;
  readonly tests: boolean;
  /** A clone of the tape's project that is not open here. */
  readonly project?: string;
}

/** Why a tape was not played; `project` names the commit that no clone has. */
interface LeftOut {
  readonly reason: string;
  readonly project?: string;
}

/** What the server tells of a replay that has ended. */
interface Summary {
  readonly run: string;
  readonly left_out: readonly LeftOut[];
}

/** *Replay a Tape…*: plays a tape by the server's engine into editors that cannot be changed. */
export class Replaying {
  readonly #execute: Execute;
  readonly #turn: Turn;
  readonly #documents: VirtualDocuments;
  readonly #results: ResultsView;
  readonly #runs: RunFolders;
  readonly #bar = window.createStatusBarItem("ghosttape.replay", StatusBarAlignment.Left);
  readonly #types = Object.fromEntries(
    Object.entries(COLOURS).map(([looks, colour]) => [looks, window.createTextEditorDecorationType({ color: new ThemeColor(colour), fontStyle: "italic" })]),
  ) as Record<ShownScene["looks"], ReturnType<typeof window.createTextEditorDecorationType>>;
  readonly #replaced = window.createTextEditorDecorationType({ textDecoration: "line-through" });
  readonly #note = window.createTextEditorDecorationType({});
  #scene: Scene | undefined;
  #shown: Uri | undefined;
  #isPlaying = false;
  #isPaused = false;
  #speed = 5;

  constructor(context: ExtensionContext, execute: Execute, turn: Turn, documents: VirtualDocuments, results: ResultsView, runs: RunFolders) {
    this.#execute = execute;
    this.#turn = turn;
    this.#documents = documents;
    this.#results = results;
    this.#runs = runs;
    this.#bar.command = "ghosttape.replay.toggle";
    context.subscriptions.push(
      Disposable.from(this.#bar, this.#replaced, this.#note, ...Object.values(this.#types)),
      commands.registerCommand("ghosttape.replayTape", () => this.#choose()),
      commands.registerCommand("ghosttape.replay.toggle", () => this.#wish({ action: this.#isPaused ? "resume" : "pause" })),
      commands.registerCommand("ghosttape.replay.step", () => this.#wish({ action: "step" })),
      commands.registerCommand("ghosttape.replay.moment", () => this.#wish({ action: "moment" })),
      commands.registerCommand("ghosttape.replay.faster", () => this.#wish({ action: "speed", to: nextSpeed(this.#speed, 1) })),
      commands.registerCommand("ghosttape.replay.slower", () => this.#wish({ action: "speed", to: nextSpeed(this.#speed, -1) })),
      workspace.onDidChangeTextDocument(({ document }) => { this.#decorate(document.uri); }),
    );
  }

  /** Show what the server says an editor would show. */
  async take(scene: Scene): Promise<void> {
    if (!this.#isPlaying) {
      return;
    }
    this.#scene = scene;
    this.#bar.text = `$(${this.#isPaused ? "debug-pause" : "play"}) ${positionOf(scene, this.#speed, this.#isPaused)}`;
    const shown = shownScene(scene);
    const uri = this.#documents.put(GROUP, scene.path, shown.text, shown);
    if (uri.toString() !== this.#shown?.toString()) {
      this.#shown = uri;
      await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true, preserveFocus: true });
    }
    this.#decorate(uri);
  }

  async #choose(): Promise<void> {
    const [file] = (await window.showOpenDialog({ title: "Replay which tape?", filters: { Tapes: ["jsonl", "gz"] } })) ?? [];
    const policies = [
      { label: "blocks", description: "where a block or a line of it was begun" },
      { label: "recorded", description: "where the assistant of the tape was asked" },
      { label: workspace.getConfiguration("ghosttape").get("policy", "vscode"), description: "as in this window" },
    ];
    const policy = file && (await window.showQuickPick(policies, { title: "When is the model asked?" }));
    const tests = policy && (await window.showQuickPick(["Without tests", "With the tests of its project"], { title: "Are suggestions tested?" }));
    if (file !== undefined && tests !== undefined && policy !== undefined) {
      await this.play(file.fsPath, { policy: policy.label, tests: tests.startsWith("With the") });
    }
  }

  /** Play a tape, and show its results in the end. */
  async play(tape: string, choice: ReplayChoice): Promise<void> {
    const reason = this.#turn.refusal() ?? (choice.tests && !workspace.isTrusted ? NEEDS_TRUST : undefined);
    if (reason !== undefined) {
      await window.showInformationMessage(reason);
      return;
    }
    const end = this.#turn.begin("replay");
    const out = this.#runs.ofWindow(`${basename(tape).split(".", 1).join("")}-${choice.policy}`);
    let left: LeftOut | undefined;
    this.#setPlaying(true);
    try {
      const order = { tapes: [tape], options: this.#options(choice), out, speed: this.#speed, scenes: true };
      const summary = (await this.#execute("ghosttape.replay", order)) as Summary;
      left = summary.left_out[0];
      await this.#results.show(summary.run);
      await commands.executeCommand("ghosttape.results.focus");
    } catch (error) {
      void this.#tell(error, out);
    } finally {
      end();
      this.#setPlaying(false);
    }
    void (left && this.#tellLeftOut(tape, choice, left));
  }

  /** The options as the command line takes them in the folder of this window. */
  #options({ policy, tests, project }: ReplayChoice): object {
    const { policies, ...tested } = ownReplayOptions();
    const projects = [...(project === undefined ? [] : [project]), ...this.#runs.projects()];
    return { policy, policies, tests, ...(tests ? { projects, ...tested } : {}) };
  }

  /** Say why the tape was not played; where only its project is missing, the person can say where that is. */
  async #tellLeftOut(tape: string, choice: ReplayChoice, { reason, project }: LeftOut): Promise<void> {
    if (project === undefined) {
      await window.showWarningMessage(`The tape was not played: ${reason}`);
      return;
    }
    const words = `The tape was not played: its project is ${project}, and none of the folders that were looked at is a clone with this commit.`;
    if ((await window.showWarningMessage(words, CHOOSE_PROJECT)) !== undefined) {
      const [folder] = (await window.showOpenDialog({ title: "Where is the project of the tape?", canSelectFolders: true, canSelectFiles: false })) ?? [];
      await (folder && this.play(tape, { ...choice, project: folder.fsPath }));
    }
  }

  /** Say why a replay ended before its tape; what was replayed until then is kept in its run. */
  async #tell(error: unknown, out: string): Promise<void> {
    const said = causeOf(error);
    if (error instanceof ServerLost) {
      const chosen = await window.showErrorMessage(`The replay has stopped: ${said} What was replayed until then is kept.`, SHOW);
      await (chosen === SHOW ? this.#results.show(out) : undefined);
    } else if (!said.includes("was cancelled")) {
      void window.showErrorMessage(`The tape cannot be replayed: ${said}`);
    }
  }

  #setPlaying(isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    this.#isPaused = false;
    this.#shown = undefined;
    this.#scene = undefined;
    void commands.executeCommand("setContext", PLAYING, isPlaying);
    this.#bar.text = "$(play) replay";
    this.#bar.tooltip = "Pause or go on. ghosttape: Replay commands step, and go faster or slower.";
    if (isPlaying) {
      this.#bar.show();
    } else {
      this.#bar.hide();
    }
  }

  async #wish(wish: { readonly action: string; readonly to?: number }): Promise<void> {
    if (!this.#isPlaying) {
      return;
    }
    const where = (await this.#execute("ghosttape.playback", wish)) as Where;
    this.#isPaused = where.paused;
    this.#speed = where.speed ?? this.#speed;
    if (this.#scene !== undefined) {
      await this.take(this.#scene);
    }
  }

  #decorate(uri: Uri): void {
    const scene = this.#scene;
    const editor = window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    if (scene === undefined || editor === undefined || uri.toString() !== this.#shown?.toString()) {
      return;
    }
    const shown = shownScene(scene);
    if (showsText(editor.document.getText(), shown.text)) {
      this.#mark(editor, shown);
    }
  }

  #mark(editor: TextEditor, shown: ShownScene): void {
    const range = rangeOf(shown.text, shown.start, shown.end);
    for (const [looks, type] of Object.entries(this.#types)) {
      editor.setDecorations(type, looks === shown.looks && !range.isEmpty ? [range] : []);
    }
    editor.setDecorations(this.#replaced, shown.replaced > 0 ? [rangeOf(shown.text, shown.start - shown.replaced, shown.start)] : []);
    const after = { contentText: shown.note === "" ? "▏" : `▏ ${shown.note}`, color: new ThemeColor(COLOURS[shown.looks]) };
    editor.setDecorations(this.#note, [{ range: new Range(range.end, range.end), renderOptions: { after } }]);
    editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function rangeOf(text: string, start: number, end: number): Range {
  const [first, last] = [placeOf(text, start), placeOf(text, end)];
  return new Range(first.line, first.character, last.line, last.character);
}
