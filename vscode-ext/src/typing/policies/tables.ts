import tables from "./policies.json" with { type: "json" };

/** A wait that follows the person's rhythm; see `Adaptive` in ghosttape's `replay/play/policies/policy.py`. Times in ms. */
export interface Adaptive {
  readonly first: number;
  readonly samples_min: number;
  readonly samples_max: number;
  readonly gap_min: number;
  readonly gap_max: number;
  readonly rate_max: number;
  readonly rate_min: number;
  readonly non_word: number;
  readonly line_end: number;
  readonly document_end: number;
  readonly responses: number;
  readonly min: number;
  readonly max: number;
}

/** How a wait grows with each rejection and shrinks with each accept; see `Backoff` there. */
export interface Backoff {
  readonly rejected: number;
  readonly accepted: number;
  readonly decay: number;
  readonly actions: number;
  readonly min: number;
  readonly max: number;
}

/** When to ask for a completion, and what is shown. Each number is explained in `policy.py`. Times in ms. */
export interface Policy {
  readonly about: string;
  readonly debounce: number;
  readonly line_start: number | null;
  readonly line_end: number;
  readonly after_accept: number | null;
  readonly adaptive: Adaptive | null;
  readonly backoff: Backoff | null;
  readonly throttle: number;
  readonly moves: boolean;
  readonly cancels: boolean;
  readonly lets_finish: boolean;
  readonly keeps_every: number;
  readonly pending: number;
  readonly follows: boolean;
  readonly hold: number;
  readonly cached: number;
  readonly min_suggestion: number;
  readonly extends: boolean;
  readonly seen: number;
  readonly patience: number;
  readonly ignores: readonly string[];
  readonly min_prompt: number;
  readonly right: string;
  readonly left_not: string;
  readonly one_cursor: boolean;
  readonly empty: boolean;
  readonly fresh: number;
  readonly line_cooldown: number;
  readonly rejection_cooldown: number;
  readonly not_after_accept: boolean;
}

/** The policies that an editor can follow, by name. */
export const POLICIES: Readonly<Record<string, Policy>> = tables.policies;
/** Policies that only a replay can follow, each with the reason. */
export const ONLY_REPLAYED: Readonly<Record<string, string>> = tables.only_replayed;
/** The numbers of a policy that says nothing. */
export const DEFAULTS: Policy = tables.defaults;

/** Whether a number of a policy can have this value; `before` is its value so far. */
export function fits(key: string, given: unknown, before: unknown): boolean {
  return typeof before === "boolean" ? typeof given === "boolean" : isNumber(given) || (given === null && mayBeNull(key));
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function mayBeNull(key: string): boolean {
  return ["line_start", "after_accept", "adaptive", "backoff"].includes(key);
}
