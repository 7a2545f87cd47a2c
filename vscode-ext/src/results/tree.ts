import type { MomentList, Row } from "./records";

/** A node of the results: a group of moments, or one moment. */
export type Node = Group | Leaf;

export interface Group {
  readonly kind: "group";
  readonly label: string;
  readonly count: number;
  readonly icon: string;
  readonly children: readonly Node[];
}

export interface Leaf {
  readonly kind: "moment";
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly row: Row;
}

const UNTESTED = "not tested";

/** The moments of a run by their endings, and in each ending by their verdicts; the most frequent first, the moments in their order. */
export function treeOf({ moments }: MomentList): readonly Group[] {
  return groups(moments, ({ ending }) => ending, "debug-stackframe-dot", (ended) =>
    groups(ended, verdictOf, "", (rows) => rows.map(leafOf)),
  );
}

/** What became of a moment in the tests: `passed`, `assertion`, `untestable (rewritten)`, `not tested`. */
export function verdictOf({ verdict, verdict_reason }: Row): string {
  return verdict === "untestable" && verdict_reason !== "" ? `${verdict} (${verdict_reason})` : verdict;
}

/** The sign of a verdict: forms that differ, not only colours. */
export function iconOf(verdict: string): string {
  const [name = ""] = verdict.split(" (");
  return { passed: "pass", untestable: "circle-slash", infrastructure: "warning", [UNTESTED]: "circle-outline" }[name] ?? "error";
}

/** One line about a run: how many moments it has, and how many of them passed. */
export function summaryOf(list: MomentList): string {
  const passed = list.moments.filter(({ verdict }) => verdict === "passed").length;
  const judged = list.moments.filter(({ verdict }) => verdict !== UNTESTED && verdict !== "untestable").length;
  const cut = list.total > list.moments.length ? `the first ${String(list.moments.length)} of ${String(list.total)} moments` : `${String(list.total)} moments`;
  const tested = judged > 0 ? `, ${String(passed)} of ${String(judged)} testable passed` : "";
  return `${cut}${tested}${list.state === "" ? "" : ` (${list.state})`}`;
}

function groups(
  rows: readonly Row[],
  by: (row: Row) => string,
  icon: string,
  childrenOf: (rows: readonly Row[]) => readonly Node[],
): readonly Group[] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const label = by(row);
    found.set(label, [...(found.get(label) ?? []), row]);
  }
  const sorted = [...found].sort(([, one], [, other]) => other.length - one.length);
  return sorted.map(([label, members]) => ({
    kind: "group",
    label,
    count: members.length,
    icon: icon || iconOf(label),
    children: childrenOf(members),
  }));
}

function leafOf(row: Row): Leaf {
  const block = [row.kind, row.scenario].filter(Boolean).join("/");
  const place = `${row.path}:${String(row.line + 1)}:${String(row.character + 1)}`;
  return { kind: "moment", label: place, description: [block, row.suggestion].filter(Boolean).join("  "), icon: iconOf(row.verdict), row };
}
