import {
  CodeLens,
  type CodeLensProvider,
  Disposable,
  EventEmitter,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextDocument,
  type TextEditorDecorationType,
  ThemeColor,
  Uri,
  window,
} from "vscode";

import { logText } from "../results/texts";
import { commandLink, type EvaluatedRecords, keyOf, type Mark, type MarkState, STATES } from "./marks";

/** Records that come within so many ms are drawn at once. */
const SOON = 100;
/** At most once in so many ms VS Code is told that lenses changed: it asks 250 ms after the last time it was told, so that it never asked while verdicts came faster. */
const LENS_GAP = 1000;
const WHOLE_LINE = 10_000; // an editor cuts a range at the line's end

const COLOURS: Record<MarkState, string> = {
  failed: "testing.iconFailed",
  waiting: "testing.iconQueued",
  untestable: "testing.iconSkipped",
  untested: "testing.iconUnset",
  passed: "testing.iconPassed",
};

/** The last evaluation of a document. `places` are those of the moments in the results of runs, by their keys. */
export interface Evaluation {
  readonly uri: string;
  readonly path: string;
  readonly records: EvaluatedRecords;
  /** The document has another text by now. */
  isOutdated: boolean;
  places: ReadonlyMap<string, { readonly run: string; readonly number: number }>;
}

/** Verdicts beside the lines of documents, and above their functions. */
export class Gutter implements CodeLensProvider, Disposable {
  readonly #types: Record<MarkState, TextEditorDecorationType>;
  readonly #changed = new EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #evaluations = new Map<string, Evaluation>();
  #timer: NodeJS.Timeout | undefined;
  #lensTimer: NodeJS.Timeout | undefined;

  constructor(extension: Uri) {
    const typeOf = (state: MarkState): TextEditorDecorationType =>
      window.createTextEditorDecorationType({
        gutterIconPath: Uri.joinPath(extension, "media", `${state}.svg`),
        gutterIconSize: "contain",
        overviewRulerColor: new ThemeColor(COLOURS[state]),
        overviewRulerLane: OverviewRulerLane.Left,
      });
    this.#types = Object.fromEntries(STATES.map((state) => [state, typeOf(state)])) as Record<MarkState, TextEditorDecorationType>;
  }

  of(uri: string): Evaluation | undefined {
    return this.#evaluations.get(uri);
  }

  /** Show an evaluation as it is now, unless its document has another text by now. */
  show(evaluation: Evaluation): void {
    if (!evaluation.isOutdated) {
      this.#evaluations.set(evaluation.uri, evaluation);
      this.#timer ??= setTimeout(() => { this.draw(); }, SOON);
    }
  }

  /** Take the marks of a document away: they were about another text. */
  remove(uri: string): void {
    const evaluation = this.#evaluations.get(uri);
    if (evaluation !== undefined) {
      evaluation.isOutdated = true;
      this.#evaluations.delete(uri);
      this.draw();
    }
  }

  /** Draw the marks of all editors that can be seen. */
  draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const editor of window.visibleTextEditors) {
      const evaluation = this.#evaluations.get(editor.document.uri.toString());
      const marks = evaluation?.records.marks() ?? [];
      for (const state of STATES) {
        const own = marks.filter((mark) => mark.state === state);
        editor.setDecorations(this.#types[state], own.map((mark) => ({ range: new Range(mark.line, 0, mark.line, WHOLE_LINE), ...hover(mark, evaluation) })));
      }
    }
    this.#lensTimer ??= setTimeout(() => {
      this.#lensTimer = undefined;
      this.#changed.fire();
    }, LENS_GAP);
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    const uri = document.uri.toString();
    return (this.#evaluations.get(uri)?.records.functions() ?? []).flatMap(({ line, title }) => {
      const range = new Range(line, 0, line, 0);
      return [
        new CodeLens(range, { title, command: "ghosttape.evaluate.details", arguments: [uri, line + 1] }),
        new CodeLens(range, { title: "ask again", command: "ghosttape.evaluate.again", arguments: [uri, line + 1] }),
        new CodeLens(range, { title: "details", command: "ghosttape.evaluate.details", arguments: [uri, line + 1] }),
      ];
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lensTimer);
    Disposable.from(this.#changed, ...Object.values(this.#types)).dispose();
  }
}

function hover(mark: Mark, evaluation: Evaluation | undefined): { hoverMessage: MarkdownString[] } {
  return {
    hoverMessage: mark.records.map((record) => {
      const shown = new MarkdownString();
      shown.isTrusted = { enabledCommands: ["ghosttape.evaluate.page"] };
      const place = evaluation?.places.get(keyOf(record.moment));
      if (place !== undefined) {
        const link = (page: string, title: string): string =>
          commandLink(title, "ghosttape.evaluate.page", [page, place.run, place.number]);
        shown.appendMarkdown(`${[link("diff", "difference"), link("code", "code"), link("hole", "hole"), link("log", "log")].join(" · ")}\n\n`);
      }
      const text = logText({ record, then: "", offset: 0, finished: "", graft: "", hole: null, why: "" });
      shown.appendCodeblock(text.split("== As the model")[0]?.split("== Repair")[0]?.split("== Log")[0]?.trim() ?? "", "text");
      return shown;
    }),
  };
}
