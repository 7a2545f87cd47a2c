import { KEY_VARIABLES } from "./options";

/** Where keys are kept; VS Code's `SecretStorage` is one. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

const PREFIX = "ghosttape.key.";
/** The providers that take a key. */
export const KEYED_PROVIDERS: readonly string[] = Object.keys(KEY_VARIABLES);

/** The keys that the person stored: they go into the environment of the server, and nowhere else. */
export class Keys {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  async store(provider: string, key: string): Promise<void> {
    await this.#secrets.store(PREFIX + provider, key.trim());
  }

  async delete(provider: string): Promise<void> {
    await this.#secrets.delete(PREFIX + provider);
  }

  /** The providers that have a key here. */
  async stored(): Promise<readonly string[]> {
    return (await this.#all()).map(([provider]) => provider);
  }

  /**
   * The environment variables of a server. A provider's key goes into the variable of its own. Where the chosen provider has one, the
   * variable that goes first, for whatever server is named, is empty: the stored key counts over one that the editor was started with, and
   * another provider that is asked never gets it.
   */
  async variables(chosen: unknown): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const [provider, key] of await this.#all()) {
      const [first = "", ...own] = KEY_VARIABLES[provider] ?? [];
      for (const name of own) {
        found[name] = key;
      }
      if (provider === chosen) {
        found[first] = "";
      }
    }
    return found;
  }

  async #all(): Promise<readonly (readonly [string, string])[]> {
    const found = await Promise.all(KEYED_PROVIDERS.map(async (name) => [name, await this.#secrets.get(PREFIX + name)] as const));
    return found.flatMap(([provider, key]) => (key === undefined || key === "" ? [] : [[provider, key] as const]));
  }
}

/** Why a text cannot be a key, or undefined: the server puts keys into headers, and refuses what cannot stand there. */
export function keyProblem(key: string): string | undefined {
  const text = key.trim();
  return text === "" || /[^\x21-\x7e]/.test(text) ? "A key is a word of ASCII characters." : undefined;
}
