import { type Provider, PROVIDERS } from "./options";

/** A provider to choose: one that the person gave a name, the one in use, or a kind. */
export interface ProviderChoice {
  readonly label: string;
  readonly description: string;
  readonly provider: Provider;
}

/** Kinds that need nothing else said: the embedded model, and the baseline. */
const COMPLETE = ["gguf", "ngram"];

/** What can be chosen in one pick: the person's own providers, the models that servers have, and the kinds that need nothing else. */
export function providerChoices(named: unknown, models: readonly Provider[], current: Provider): readonly ProviderChoice[] {
  const own = Object.entries(isObject(named) ? named : {}).flatMap(([label, provider]) =>
    isObject(provider) ? [{ label, description: summary(provider), provider }] : [],
  );
  const found = models.map((provider) => ({ label: summary(provider), description: "", provider }));
  const kinds = COMPLETE.map((name) => ({ label: name, description: PROVIDERS[name] ?? "", provider: { name } }));
  const all = [...own, ...found, ...kinds, { label: "ghosttape.toml", description: "what the folder's file or the environment says", provider: {} }];
  const isListed = all.some(({ provider }) => same(provider, current));
  const inUse = { label: summary(current), description: "in use", provider: current };
  return [...(isListed ? [] : [inUse]), ...all].map((choice) => ({ ...choice, label: same(choice.provider, current) ? `$(check) ${choice.label}` : choice.label }));
}

/** The name of a provider's model, or of the provider, for the status bar. */
export function modelName(provider: Provider): string {
  const [model, name] = [provider["model"], provider["name"]];
  const shown = typeof model === "string" && model !== "" ? model : name;
  return typeof shown === "string" ? (shown.split(/[/\\]/).at(-1) ?? shown) : "";
}

/** A provider in a few words: its name, model and server. */
export function summary(provider: Provider): string {
  return ["name", "model", "base_url"].flatMap((member) => (typeof provider[member] === "string" ? [provider[member]] : [])).join(" · ");
}

function same(one: Provider, other: Provider): boolean {
  return JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
}

function isObject(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
