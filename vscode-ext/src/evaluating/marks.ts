import type { MomentRecord } from "../results/records";

/** What a mark in the gutter says, the worst first: where several moments stand on a line, the worst counts. */
export const STATES = ["failed", "waiting", "untestable", "untested", "passed"] as const;
export type MarkState = (typeof STATES)[number];

/** A mark on a line (from 0), with the moments that stand there. */
export interface Mark {
  readonly line: number;
  readonly state: MarkState;
  readonly records: readonly MomentRecord[];
}

/** What stands above a function. `line` is from 0. */
export interface FunctionSum {
  readonly line: number;
  readonly title: string;
}

/** The records of an evaluation as they come: first when a moment ends, again with its verdict. */
export class EvaluatedRecords {
  readonly #records = new Map<string, { record: MomentRecord; isJudged: boolean }>();

  /** Take a record; `isJudged`: it has its verdict, or will get none. */
  take(record: MomentRecord, isJudged: boolean): void {
    const key = keyOf(record.moment);
    const isKnown = this.#records.get(key)?.isJudged ?? false;
    if (isJudged || !isKnown) {
      this.#records.set(key, { record, isJudged });
    }
  }

  /** Take the records of functions that were evaluated anew out. Lines are from 1. */
  forget(lines: readonly number[]): void {
    for (const [key, { record }] of this.#records) {
      if (lines.length === 0 || lines.includes(functionLine(record))) {
        this.#records.delete(key);
      }
    }
  }

  /** The records of the function that begins in a line (from 1). */
  of(line: number): readonly MomentRecord[] {
    return [...this.#records.values()].map(({ record }) => record).filter((record) => functionLine(record) === line);
  }

  /** No verdict is waited for any more. */
  end(): void {
    for (const [key, { record }] of this.#records) {
      this.#records.set(key, { record, isJudged: true });
    }
  }

  get size(): number {
    return this.#records.size;
  }

  /** A mark for each line with moments, in the order of the lines. */
  marks(): readonly Mark[] {
    const lines = new Map<number, Mark>();
    for (const { record, isJudged } of this.#records.values()) {
      const { line } = record.moment;
      const before = lines.get(line);
      const states = [stateOf(record, isJudged), ...(before === undefined ? [] : [before.state])];
      const state = STATES.find((each) => states.includes(each)) ?? "untested";
      lines.set(line, { line, state, records: [...(before?.records ?? []), record] });
    }
    return [...lines.values()].sort((one, other) => one.line - other.line);
  }

  /** A sum for each function, in the order of the lines. */
  functions(): readonly FunctionSum[] {
    const found = new Map<number, MarkState[]>();
    for (const { record, isJudged } of this.#records.values()) {
      const line = functionLine(record);
      if (line > 0) {
        found.set(line, [...(found.get(line) ?? []), stateOf(record, isJudged)]);
      }
    }
    const sums = [...found].map(([line, states]) => ({ line: line - 1, title: titleOf(states) }));
    return sums.sort((one, other) => one.line - other.line);
  }
}

/** What tells a moment of an evaluation from all others of it. */
export function keyOf({ tape, line, character, kind = "", scenario = "" }: Pick<MomentRecord["moment"], "tape" | "line" | "character" | "kind" | "scenario">): string {
  return [tape.replace(/-[0-9a-f]+$/, ""), line, character, kind, scenario].join("\0");
}

/** Where a moment stands in the results of a run. */
export type Places = ReadonlyMap<string, { readonly run: string; readonly number: number }>;

/** The run that evaluated the function that begins in a line (from 1) last; undefined while there is none. */
export function runOf({ records, places }: { readonly records: EvaluatedRecords; readonly places: Places }, line: number): string | undefined {
  const [first] = records.of(line);
  return first && places.get(keyOf(first.moment))?.run;
}

/** A link in Markdown that runs a command. Brackets end a link there, and `encodeURIComponent` leaves them. */
export function commandLink(title: string, command: string, argument: readonly unknown[]): string {
  const encoded = encodeURIComponent(JSON.stringify(argument)).replaceAll("(", "%28").replaceAll(")", "%29");
  return `[${title}](command:${command}?${encoded})`;
}

/** What the verdict of a record means for a mark. */
export function stateOf({ verdict }: MomentRecord, isJudged: boolean): MarkState {
  if (verdict === null) {
    return isJudged ? "untested" : "waiting";
  }
  if (verdict.name === "passed" || verdict.name === "untestable") {
    return verdict.name;
  }
  return verdict.name === "infrastructure" ? "untested" : "failed";
}

/** `3 of 4 passed`, with what cannot be told. */
function titleOf(states: readonly MarkState[]): string {
  const count = (state: MarkState): number => states.filter((each) => each === state).length;
  const testable = count("passed") + count("failed");
  const parts = [testable > 0 ? `${String(count("passed"))} of ${String(testable)} passed` : ""];
  for (const [state, words] of [["untestable", "untestable"], ["untested", "not tested"], ["waiting", "being tested"]] as const) {
    parts.push(count(state) > 0 ? `${String(count(state))} ${words}` : "");
  }
  return parts.filter(Boolean).join(", ");
}

/** The line (from 1) of the outermost function around a moment, which the record names as `path:line`; 0 without one. */
function functionLine({ moment }: MomentRecord): number {
  return Number(/:(\d+)$/.exec(moment.function ?? "")?.[1] ?? 0);
}
