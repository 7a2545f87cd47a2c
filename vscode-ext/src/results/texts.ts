import type { MomentView, TrailStep } from "./records";

/** A place in a text, as an editor counts: lines and UTF-16 code units, from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A text with a part that is shown apart. Offsets are UTF-16 code units. */
export interface MarkedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The place of an offset. Line ends are `\n`, `\r\n` and `\r`, as in an editor. */
export function placeOf(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** The offset of a place in a text; past the end of its line it is the line's end. */
export function offsetOf(text: string, { line, character }: Place): number {
  const lines = text.split(/(\r\n|\n|\r)/); // each line, and behind it what ends it
  const start = lines.slice(0, 2 * line).join("").length;
  return start + Math.min(character, lines[2 * line]?.length ?? 0);
}

/** Whether an editor shows a text: it gives all lines the line ends that most of them have, so a suggestion in a file with `\r\n` loses its own. */
export function showsText(shown: string, text: string): boolean {
  return shown.replaceAll(/\r\n?/g, "\n") === text.replaceAll(/\r\n?/g, "\n");
}

/** A text without its marked part, and a place of it there: what stood in the marked part is at its beginning. */
export function withoutGhost({ text, start, end }: MarkedText, place: Place): { readonly text: string; readonly place: Place } {
  const offset = offsetOf(text, place);
  const plain = text.slice(0, start) + text.slice(end);
  const moved = offset <= start ? offset : Math.max(start, offset - (end - start));
  return { text: plain, place: placeOf(plain, moved) };
}

/** A document with a suggestion put in at the cursor: the marked part is the suggestion, or empty at the cursor. */
export function withGhost(text: string, offset: number, ghost: string): MarkedText {
  return { text: text.slice(0, offset) + ghost + text.slice(offset), start: offset, end: offset + ghost.length };
}

/** What stood at a moment, with what was suggested there. */
export function momentText({ record, then, offset }: MomentView): MarkedText {
  return withGhost(then, offset, record.suggestion?.text ?? "");
}

/** The finished document with its hole; nothing if the moment has none. */
export function holeText({ finished, hole }: MomentView): MarkedText | undefined {
  return hole === null ? undefined : { text: finished, start: hole[0], end: hole[1] };
}

/** All that is known of a moment in words: ending, verdict, answer, repairs, and the log of its tests. */
export function logText({ record, why }: MomentView): string {
  const { moment, ending, suggestion, verdict } = record;
  const block = [moment.kind, moment.scenario].filter(Boolean).join("/");
  const parts = [
    `${moment.path}:${String(moment.line + 1)}:${String(moment.character + 1)}  ${block}\nTape: ${moment.tape}`,
    `Ending: ${ending.name}${inBrackets(ending.reason)}`,
    verdictText(record),
    section("What the developer wrote", moment.truth ?? ""),
  ];
  if (suggestion !== null) {
    const from = [suggestion.provider, `${suggestion.latency.toFixed(0)} ms`].filter(Boolean).join(", ");
    parts.push(section(`Suggestion (${from})`, suggestion.text));
    if (suggestion.raw !== undefined && suggestion.raw !== suggestion.text) {
      parts.push(section("As the model wrote it", suggestion.raw));
    }
    parts.push(...repairSections(suggestion.trail ?? []));
  }
  if (verdict?.log) {
    parts.push(section("Log of the test run", verdict.log));
  }
  if (why !== "") {
    parts.push(`Without the tape's documents: ${why}`);
  }
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

/** What each repair made of an answer. */
export function repairSections(trail: readonly TrailStep[]): readonly string[] {
  return trail.map((step) => section(`Repair ${step.step}${step.undone === true ? " (undone)" : ""}`, step.after));
}

function verdictText({ verdict }: MomentView["record"]): string {
  if (verdict === null) {
    return "Verdict: not tested";
  }
  const counts = [counted(verdict.passed, "passed"), counted(verdict.failed, "failed")].filter(Boolean).join(", ");
  const lines = [`Verdict: ${verdict.name}${inBrackets(verdict.reason)}${counts === "" ? "" : `: ${counts}`}`, verdict.message ?? ""];
  return lines.filter(Boolean).join("\n");
}

function counted(number: number | null | undefined, word: string): string {
  return number ? `${String(number)} ${word}` : "";
}

function inBrackets(reason: string | undefined): string {
  return reason ? ` (${reason})` : "";
}

/** A part of a page of words, with its title. */
export function section(title: string, body: string): string {
  return `== ${title}\n${body === "" ? "(nothing)" : body}`;
}
