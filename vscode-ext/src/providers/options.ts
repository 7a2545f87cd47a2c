import { SetupError } from "../setup/errors";
import shared from "./providers.json" with { type: "json" };

/** The setting `ghosttape.provider`: what the server's provider takes. Keys are not among it. */
export type Provider = Readonly<Record<string, unknown>>;

/** The values of one setting by scope, as VS Code's `inspect` gives them. */
export interface Scopes {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** The provider that counts, and whether the workspace named it. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly isWorkspaces: boolean;
}

export interface InitializationOptions {
  readonly provider: Provider;
  readonly repairs?: readonly string[];
  readonly record?: { readonly folder: string; readonly tells_shown: true };
}

/** What the server is initialized with beside the provider. */
export interface FurtherOptions {
  /** The setting `ghosttape.repairs`; null or undefined leaves them to the server. */
  readonly repairs?: unknown;
  /** The folder that the session is recorded to; undefined: it is not. */
  readonly recordTo?: string | undefined;
}

/** What a server is started with: its options, and the variables of keys in its environment. */
export interface ServerSettings {
  readonly options: InitializationOptions;
  readonly variables: Readonly<Record<string, string>>;
}

export const PROVIDER_SETTING = "ghosttape.provider";
const REPAIRS_SETTING = "ghosttape.repairs";
/** The providers of the server that an editor can use, with a line about each. */
export const PROVIDERS: Readonly<Record<string, string>> = shared.providers;
/** The environment variables in which the server looks for a provider's key, the one that goes first in front. */
export const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = shared.keys;
export const REPAIRS: readonly string[] = shared.repairs;
const MEMBERS = new Set(shared.members);

/**
 * The provider of the nearest scope that names one, whole: what a farther scope says is not mixed in, for half of a provider
 * with half of another is neither. The workspace's own value counts only in a workspace that is trusted.
 *
 * @throws SetupError if the value is no object, or holds what this scope must not say.
 */
export function chooseProvider(scopes: Scopes, isTrusted: boolean): ChosenProvider {
  const own = isTrusted ? (scopes.workspaceFolderValue ?? scopes.workspaceValue) : undefined;
  const provider = checked(own ?? scopes.globalValue ?? {});
  if (own === undefined) {
    return { provider, isWorkspaces: false };
  }
  const forbidden = onlyThePersons(provider);
  if (forbidden.length > 0) {
    throw new SetupError(
      `${PROVIDER_SETTING} of this workspace has ${forbidden.join(", ")}, which says what is run: it belongs in your user settings.`,
      PROVIDER_SETTING,
    );
  }
  return { provider: withoutKeys(provider, scopes.globalValue), isWorkspaces: true };
}

/** The members of a provider that say what is run, and so belong in the person's own settings. */
export function onlyThePersons(provider: Provider): readonly string[] {
  return shared.onlyThePerson.filter((member) => member in provider);
}

/** A provider as a setting can hold it: whether it may use keys is not said there, but decided by who names it. */
export function asSetting(provider: Provider): Provider {
  return Object.fromEntries(Object.entries(provider).filter(([member]) => MEMBERS.has(member)));
}

/** What the server is initialized with. Values are checked by the server, which also fills in what is left out. */
export function initializationOptions(provider: Provider, { repairs, recordTo }: FurtherOptions): InitializationOptions {
  return {
    provider,
    ...(repairs === null || repairs === undefined ? {} : { repairs: checkedRepairs(repairs) }),
    ...(recordTo === undefined ? {} : { record: { folder: recordTo, tells_shown: true } }),
  };
}

/**
 * Say whether a server that runs can change from one to the other by `workspace/didChangeConfiguration`: its environment stays
 * as it is, and so does what it was initialized with and is not said any more.
 */
export function canChangeTo(started: ServerSettings, wanted: ServerSettings): boolean {
  const keepsRepairs = started.options.repairs === undefined || wanted.options.repairs !== undefined;
  const [before, after] = [started.variables, wanted.variables];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return keepsRepairs && [...names].every((name) => before[name] === after[name]);
}

function checked(provider: unknown): Provider {
  if (typeof provider !== "object" || provider === null || Array.isArray(provider)) {
    throw new SetupError(`${PROVIDER_SETTING} must be an object such as { "name": "gguf" }.`, PROVIDER_SETTING);
  }
  const unknown = Object.keys(provider).filter((member) => !MEMBERS.has(member));
  if (unknown.length > 0) {
    throw new SetupError(
      `${PROVIDER_SETTING} does not take ${unknown.join(", ")}; it takes ${[...MEMBERS].join(", ")}. ` +
        'A key never belongs in settings: store it with the command "ghosttape: Store a Key…".',
      PROVIDER_SETTING,
    );
  }
  return { ...provider };
}

/** A server that only the workspace names gets none of the person's keys, as with a folder's ghosttape.toml. */
function withoutKeys(provider: Provider, users: unknown): Provider {
  const address = provider["base_url"];
  const isUsers = typeof users === "object" && users !== null && "base_url" in users && users.base_url === address;
  return typeof address === "string" && address !== "" && !isUsers ? { ...provider, use_key: false } : provider;
}

function checkedRepairs(repairs: unknown): readonly string[] {
  if (!Array.isArray(repairs) || repairs.some((repair) => !REPAIRS.includes(repair as string))) {
    throw new SetupError(`${REPAIRS_SETTING} must be a list of ${REPAIRS.join(", ")}.`, REPAIRS_SETTING);
  }
  return REPAIRS.filter((repair) => repairs.includes(repair));
}
