import { SetupError } from "./errors";

/** Milliseconds to wait after a key, where the setting gives no usable number. */
export const DEFAULT_DEBOUNCE = 75;

/** What the server's provider takes. Keys are not among it: the server reads them from its environment. */
export const PROVIDER_MEMBERS = [
  "name",
  "model",
  "base_url",
  "answers",
  "text",
  "seed",
  "max_tokens",
  "temperature",
  "timeout_s",
  "api",
  "template",
] as const;

export interface InitializationOptions {
  readonly provider: Readonly<Record<string, unknown>>;
  readonly record?: { readonly folder: string };
}

const isMember = new Set<string>(PROVIDER_MEMBERS);

/**
 * Turn the setting `ghosttape.provider` into what the server is initialized with. Values are checked by the server, which
 * also fills in what is left out: from ghosttape.toml and its environment, and last with the embedded model. With a folder in
 * `recordTo` it records the session there.
 *
 * @throws SetupError for a value that is not an object, and for members that the server does not know.
 */
export function initializationOptions(provider: unknown, recordTo?: string): InitializationOptions {
  if (typeof provider !== "object" || provider === null || Array.isArray(provider)) {
    throw new SetupError(
      'ghosttape.provider must be an object such as { "name": "gguf" }.',
      "ghosttape.provider",
    );
  }
  const unknown = Object.keys(provider).filter((member) => !isMember.has(member));
  if (unknown.length > 0) {
    throw new SetupError(
      `ghosttape.provider does not take ${unknown.join(", ")}; it takes ${PROVIDER_MEMBERS.join(", ")}. ` +
        "An API key belongs in the environment of the editor, as GHOSTTAPE_API_KEY, never in settings.",
      "ghosttape.provider",
    );
  }
  const record = recordTo === undefined ? {} : { record: { folder: recordTo } };
  return { provider: { ...provider }, ...record };
}

/** Milliseconds to wait before asking: nothing when the person asked by command, else the setting `ghosttape.debounce`. */
export function delay(invoked: boolean, configured: unknown): number {
  if (invoked) {
    return 0;
  }
  return typeof configured === "number" && configured >= 0 ? configured : DEFAULT_DEBOUNCE;
}
