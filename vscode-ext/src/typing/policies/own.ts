import type { SetupError } from "../../setup/errors";
import { DEFAULTS, fits, ONLY_REPLAYED, POLICIES, type Policy } from "./tables";

type Values = Record<string, unknown>;
type Wrong = (why: string) => SetupError;

/** Members that only have a meaning in a replay. */
const FOR_REPLAYS = ["kinds", "at"];
/** What each inner table holds: it starts from nothing in a policy without one, and then needs all of it. */
const INNER: Values = { adaptive: POLICIES["tabby"]?.adaptive, backoff: POLICIES["copilot-nes"]?.backoff };

/**
 * A policy of `[policies.NAME]` in a `ghosttape.toml`: it starts from its `base`, else from the policy of the same name
 * (`ready`), else from nothing, as in `replay/play/policies/policy.py`.
 */
export function derived(name: string, table: unknown, ready: Policy | undefined, wrong: Wrong): Policy {
  if (!isTable(table)) {
    throw wrong(`[policies] of ghosttape.toml has "${name}", which is no table`);
  }
  const { base = "", asks = "changes", ...numbers } = table;
  const why = ONLY_REPLAYED[typeof base === "string" && base !== "" ? base : name];
  if (why !== undefined || asks !== "changes") {
    throw wrong(`only a replay can follow "${name}" of ghosttape.toml${why === undefined ? "" : `: ${why}`}`);
  }
  const from = base === "" ? (ready ?? DEFAULTS) : typeof base === "string" ? POLICIES[base] : undefined;
  if (from === undefined) {
    throw wrong(`"${name}" of ghosttape.toml has the base ${JSON.stringify(base)}; choose one of ${Object.keys(POLICIES).join(", ")}`);
  }
  const values = Object.entries(numbers).filter(([key]) => !FOR_REPLAYS.includes(key));
  return merged(from as unknown as Values, Object.fromEntries(values), `"${name}" of ghosttape.toml`, wrong) as unknown as Policy;
}

/** A table with some of its numbers replaced, also in the tables within it. */
function merged(base: Values, over: Values, whose: string, wrong: Wrong): Values {
  const made: Values = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (!Object.hasOwn(base, key)) {
      throw wrong(`${whose} has "${key}", which is none of ${Object.keys(base).join(", ")}`);
    }
    made[key] = one(key, base[key], value, whose, wrong);
  }
  return made;
}

function one(key: string, before: unknown, value: unknown, whose: string, wrong: Wrong): unknown {
  if (isTable(value) && isTable(INNER[key])) {
    const isWhole = Object.keys(INNER[key]).every((inner) => Object.hasOwn(value, inner));
    if (!isTable(before) && !isWhole) {
      throw wrong(`${key} of ${whose} needs ${Object.keys(INNER[key]).join(", ")}`);
    }
    return merged(isTable(before) ? before : INNER[key], value, `${key} of ${whose}`, wrong);
  }
  if (typeof before === "string" && typeof value === "string") {
    return value.replace(/^\(\?a\)/, ""); // \w is ASCII's in JavaScript
  }
  if (Array.isArray(before) && Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return value;
  }
  const isPlain = typeof before !== "string" && !Array.isArray(before) && !isTable(INNER[key]);
  if (!isPlain || !fits(key, value, before)) {
    throw wrong(`${key} of ${whose} cannot be ${JSON.stringify(value)}`);
  }
  return value;
}

function isTable(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
