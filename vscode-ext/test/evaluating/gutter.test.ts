import type { TextDocument, Uri } from "vscode";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Evaluation } from "../../src/evaluating/gutter";
import { EvaluatedRecords } from "../../src/evaluating/marks";
import type { MomentRecord } from "../../src/results/records";

vi.mock("vscode", () => {
  class EventEmitter {
    #listener: () => void = () => undefined;
    readonly event = (listener: () => void): void => {
      this.#listener = listener;
    };
    fire(): void {
      this.#listener();
    }
  }
  class CodeLens {
    readonly command: unknown;

    constructor(_: unknown, command: unknown) {
      this.command = command;
    }
  }
  return {
    CodeLens,
    EventEmitter,
    MarkdownString: Object,
    OverviewRulerLane: {},
    Range: Object,
    ThemeColor: Object,
    Uri: { joinPath: () => undefined },
    window: { visibleTextEditors: [], createTextEditorDecorationType: () => undefined },
  };
});

const { Gutter } = await import("../../src/evaluating/gutter");

const uri = "file:///shop.py";
const document = { uri: { toString: () => uri } } as unknown as TextDocument;
/** How long VS Code waits after it was told that lenses changed; told again meanwhile, it begins anew. */
const DEBOUNCE = 250;

function record(character: number): MomentRecord {
  return {
    moment: { tape: "shop", path: "shop.py", language: "python", line: 5, character, function: "shop.py:4" },
    ending: { name: "rejected" },
    suggestion: null,
    verdict: { name: "passed" },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("shows what an editor waits for also while verdicts come without a rest", () => {
  const gutter = new Gutter("" as unknown as Uri);
  let asked: ReturnType<typeof setTimeout> | undefined;
  const read: string[] = [];
  gutter.onDidChangeCodeLenses(() => {
    clearTimeout(asked);
    asked = setTimeout(() => { read.push(gutter.provideCodeLenses(document)[0]?.command?.title ?? ""); }, DEBOUNCE);
  });
  const evaluation: Evaluation = { uri, path: "/shop.py", records: new EvaluatedRecords(), isOutdated: false, places: new Map() };
  for (let number = 1; number <= 30; number += 1) {
    evaluation.records.take(record(number), true);
    gutter.show(evaluation);
    vi.advanceTimersByTime(120);
  }
  expect(read.length).toBeGreaterThanOrEqual(2);
  vi.advanceTimersByTime(1500);
  expect(read.at(-1)).toBe("30 of 30 passed");
});
