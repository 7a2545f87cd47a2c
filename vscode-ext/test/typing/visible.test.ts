import { expect, it, vi } from "vitest";

class Position {
  readonly character: number;

  constructor(character: number) {
    this.character = character;
  }

  isAfter(other: Position): boolean {
    return this.character > other.character;
  }
}
class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(start: Position, end: Position) {
    this.start = start;
    this.end = end;
  }
}
vi.mock("vscode", () => ({ Range }));

const { onScreen } = await import("../../src/typing/visible");

const TEXT = "items = it";
const document = { getText: ({ start, end }: Range) => TEXT.slice(start.character, end.character) };
const at = (from: number, to = 10): Range => new Range(new Position(from), new Position(to));
const item = (insertText: string, range?: Range): { insertText: string; range: Range | undefined } => ({ insertText, range });

function shown(items: readonly unknown[], turn: -1 | 0 | 1, selected?: { readonly text: string; readonly range: Range }): unknown {
  return onScreen(items as never, turn, document as never, { selectedCompletionInfo: selected } as never);
}

const [one, two, three] = [item("ems", at(10)), item("er", at(10)), item("eritems", at(10))];

it.each([
  { turn: 0, order: [two, three, one] },
  { turn: 1, order: [three, one, two] },
  { turn: -1, order: [one, two, three] },
] as const)("tells last which of several is on the screen: turn $turn", ({ turn, order }) => {
  expect(shown([one, two, three], turn)).toEqual(order);
});

it.each([0, 1, -1] as const)("shows one that is alone, and nothing of nothing: turn %i", (turn) => {
  expect(shown([one], turn)).toEqual([one]);
  expect(shown([], turn)).toEqual([]);
});

it("shows nothing but what begins with the selected one of an open list", () => {
  const selected = { text: "items", range: at(8) };
  const whole = item("items)", at(8));
  expect(shown([one, two, whole, item("ems")], 0, selected)).toEqual([whole, one]);
  expect(shown([two], 0, selected)).toEqual([]);
});
