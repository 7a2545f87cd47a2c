import { SetupError } from "../setup/errors";
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

/** When to ask for a completion; the numbers that an editor heeds. Each is explained in `policy.py`. Times in ms. */
export interface Policy {
  readonly about: string;
  readonly debounce: number;
  readonly line_start: number | null;
  readonly line_end: number;
  readonly after_accept: number | null;
  readonly adaptive: Adaptive | null;
  readonly backoff: Backoff | null;
  readonly throttle: number;
  readonly cancels: boolean;
  readonly lets_finish: boolean;
  readonly keeps_every: number;
  readonly pending: number;
  readonly hold: number;
  readonly min_suggestion: number;
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

export const POLICY_SETTING = "ghosttape.policy";
export const DEFAULT_POLICY = "vscode";
/** The policies that an editor can follow, by name. */
export const POLICIES: Readonly<Record<string, Policy>> = tables;

const NAMES = new Set(["ignores"]);
const TEXTS = new Set(["right", "left_not"]);
type Values = Record<string, unknown>;

/**
 * The policy of a name with numbers, in the words of `ghosttape replay --policy`: `vscode`, `pause:250`,
 * `copilot:hold=100,debounce=75`, `tabby:adaptive.max=500`.
 *
 * @throws SetupError if there is no such policy, or it has no such number.
 */
export function policyOf(text: string): Policy {
  const [name = "", numbers = ""] = splitOnce(text.trim(), ":");
  const policy = POLICIES[name];
  if (policy === undefined) {
    throw wrong(text, `an editor cannot follow "${name}"; choose one of ${Object.keys(POLICIES).join(", ")}`);
  }
  const values = structuredClone(policy) as unknown as Values;
  for (const [at, pair] of numbers === "" ? [] : numbers.split(",").entries()) {
    override(text, values, name === "pause" && at === 0 && !pair.includes("=") ? `debounce=${pair}` : pair);
  }
  return checked(text, values as unknown as Policy);
}

function override(text: string, values: Values, pair: string): void {
  const [key = "", value] = splitOnce(pair, "=").map((part) => part.trim());
  const [table, within] = key.includes(".") ? splitOnce(key, ".") : ["", key];
  const target = table === "" ? values : values[table ?? ""];
  if (value === undefined || !isValues(target) || within === undefined || !(within in target)) {
    throw wrong(text, `"${pair}" is no NUMBER=VALUE of this policy; it has ${Object.keys(values).join(", ")}`);
  }
  target[within] = read(text, key, value, target[within]);
}

function read(text: string, key: string, value: string, before: unknown): unknown {
  if (NAMES.has(key)) {
    return value.split("+").filter((part) => part !== "");
  }
  if (TEXTS.has(key)) {
    return value;
  }
  const given: unknown = parsed(value);
  const fits = typeof before === "boolean" ? typeof given === "boolean" : isNumber(given) || (given === null && mayBeNull(key));
  if (!fits) {
    throw wrong(text, `${key} cannot be ${value}`);
  }
  return given;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function mayBeNull(key: string): boolean {
  return ["line_start", "after_accept", "adaptive", "backoff"].includes(key);
}

function checked(text: string, policy: Policy): Policy {
  for (const pattern of [policy.right, policy.left_not]) {
    try {
      new RegExp(pattern);
    } catch {
      throw wrong(text, `"${pattern}" is no regular expression`);
    }
  }
  return policy;
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null;
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + at.length)];
}

function wrong(text: string, why: string): SetupError {
  return new SetupError(`${POLICY_SETTING} is "${text}": ${why}.`, POLICY_SETTING);
}
