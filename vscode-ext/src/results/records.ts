/** What the server says of a run: `ghosttape.run.moments` and `ghosttape.run.moment` (replay/run/served/results.py). */

/** One moment in a list. `line` and `character` are from 0. */
export interface Row {
  readonly number: number;
  readonly tape: string;
  readonly path: string;
  readonly line: number;
  readonly character: number;
  readonly kind: string;
  readonly scenario: string;
  readonly ending: string;
  readonly ending_reason: string;
  readonly verdict: string;
  readonly verdict_reason: string;
  readonly latency: number | null;
  readonly suggestion: string;
}

export interface MomentList {
  readonly folder: string;
  readonly state: string;
  readonly total: number;
  readonly moments: readonly Row[];
}

export interface TrailStep {
  readonly step: string;
  readonly before: string;
  readonly after: string;
  readonly undone?: boolean;
}

export interface Verdict {
  readonly name: string;
  readonly reason?: string;
  readonly message?: string;
  readonly passed?: number | null;
  readonly failed?: number | null;
  readonly log?: string;
  readonly wall_ms?: number;
}

/** One moment and its outcome, as a run keeps it. Offsets are UTF-16 code units. */
export interface MomentRecord {
  readonly moment: {
    readonly tape: string;
    readonly path: string;
    readonly language: string;
    readonly line: number;
    readonly character: number;
    readonly kind?: string;
    readonly scenario?: string;
    readonly truth?: string;
    readonly function?: string;
  };
  readonly ending: { readonly name: string; readonly reason?: string };
  readonly suggestion: {
    readonly text: string;
    readonly raw?: string;
    readonly latency: number;
    readonly provider?: string;
    readonly trail?: readonly TrailStep[];
  } | null;
  readonly verdict: Verdict | null;
}

/** A moment with the documents around it: `then` at the moment, `finished` in the end, `graft` with the suggestion in the hole. */
export interface MomentView {
  readonly record: MomentRecord;
  readonly then: string;
  readonly offset: number;
  readonly finished: string;
  readonly graft: string;
  readonly hole: readonly [number, number] | null;
  readonly why: string;
}
