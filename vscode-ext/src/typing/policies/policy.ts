import { SetupError } from "../../setup/errors";
import { derived } from "./own";
import { fits, ONLY_REPLAYED, POLICIES, type Policy } from "./tables";

export const POLICY_SETTING = "ghosttape.policy";
export const DEFAULT_POLICY = "vscode";
const NAMES = new Set(["ignores"]);
const TEXTS = new Set(["right", "left_not"]);
type Values = Record<string, unknown>;

/**
 * The policy of a name with numbers, in the words of `ghosttape replay --policy`: `vscode`, `pause:250`,
 * `copilot:hold=100,debounce=75`, `tabby:adaptive.max=500`. `own` are the policies of a `ghosttape.toml`.
 *
 * @throws SetupError if there is no such policy, an editor cannot follow it, or it has no such number.
 */
export function policyOf(text: string, own: Readonly<Record<string, unknown>> = {}): Policy {
  const [name = "", numbers = ""] = splitOnce(text.trim(), ":");
  const values = structuredClone(named(text, name, own)) as unknown as Values;
  for (const [at, pair] of numbers === "" ? [] : numbers.split(",").entries()) {
    override(text, values, name === "pause" && at === 0 && !pair.includes("=") ? `debounce=${pair}` : pair);
  }
  return checked(text, values as unknown as Policy);
}

function named(text: string, name: string, own: Readonly<Record<string, unknown>>): Policy {
  const ready = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
  if (Object.hasOwn(own, name)) {
    return derived(name, own[name], ready, (why) => wrong(text, why));
  }
  if (ready !== undefined) {
    return ready;
  }
  const reason = Object.hasOwn(ONLY_REPLAYED, name) ? `only a replay can follow "${name}": ${ONLY_REPLAYED[name] ?? ""}` : "";
  const known = [...Object.keys(POLICIES), ...Object.keys(own)].join(", ");
  throw wrong(text, `${reason || `there is no policy "${name}"`}; choose one of ${known}`);
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
  if (!fits(key, given, before)) {
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

function checked(text: string, policy: Policy): Policy {
  for (const pattern of [policy.right, policy.left_not]) {
    try {
      new RegExp(pattern);
    } catch {
      throw wrong(text, `"${pattern}" is no regular expression of JavaScript, in which an editor reads it`);
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
