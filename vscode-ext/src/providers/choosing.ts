import { ConfigurationTarget, type QuickPickItem, window, workspace } from "vscode";

import { ownPolicies } from "../typing/policies/configured";
import { POLICIES } from "../typing/policies/tables";
import { providerChoices } from "./choices";
import { keyProblem, KEYED_PROVIDERS, type Keys } from "./keys";
import { modelsOf } from "./models";
import { asSetting, chooseProvider, type ChosenProvider, onlyThePersons, type Provider, REPAIRS } from "./options";

const REPAIRS_TITLE = "Repairs of completions";
const WAYS = {
  toml: { label: "As ghosttape.toml says", detail: "all, where it says nothing" },
  all: { label: "All", detail: REPAIRS.join(", ") },
  some: { label: "Some…" },
  none: { label: "None", detail: "completions as the model writes them" },
} as const satisfies Record<string, QuickPickItem>;
const DEBOUNCES = ["pause:250", "vscode:debounce=125"];

/** The provider of the settings of this moment. @throws SetupError if they cannot be used. */
export function configuredProvider(): ChosenProvider {
  const scopes = workspace.getConfiguration("ghosttape").inspect("provider") ?? {};
  return chooseProvider(scopes, workspace.isTrusted);
}

/** Let the person choose another provider or model in one pick. */
export async function pickProvider(): Promise<void> {
  const provider = await askForProvider("Provider or model");
  if (provider === undefined) {
    return;
  }
  if (isOfWorkspace("provider") && onlyThePersons(provider).length > 0) {
    await window.showErrorMessage(
      "The settings of this workspace name a provider, and one that says what is run belongs in your user settings: remove `ghosttape.provider` from the workspace's first.",
    );
    return;
  }
  const value = asSetting(provider);
  await set("provider", Object.keys(value).length === 0 ? undefined : value);
}

/** Ask which provider or model is meant; undefined if the person chose none. One that only the workspace names comes without leave to use keys. */
export async function askForProvider(title: string): Promise<Provider | undefined> {
  const current = currentProvider();
  const named = workspace.getConfiguration("ghosttape").get("providers");
  const servers: readonly Provider[] = [current, { name: "ollama" }].filter((one, at) => at === 0 || current["name"] !== one["name"]);
  const models = (await Promise.all(servers.map((server) => modelsOf(server)))).flat();
  const placeHolder = "Providers with names of your own are in the setting ghosttape.providers";
  const chosen = await window.showQuickPick(providerChoices(named, models, current), { title, placeHolder });
  return chosen?.provider;
}

/** Let the person choose when completions are asked for. */
export async function pickPolicy(): Promise<void> {
  const own = Object.keys(ownPolicies()).map((label) => ({ label, detail: "of this folder's ghosttape.toml" }));
  const others = Object.entries(POLICIES).filter(([name]) => !own.some(({ label }) => label === name));
  const named = others.map(([label, { about }]) => ({ label, detail: about }));
  const items: QuickPickItem[] = [...own, ...named, ...DEBOUNCES.map((label) => ({ label, detail: "an example of numbers of your own" }))];
  const chosen = await window.showQuickPick(items, { title: "When completions are asked for" });
  if (chosen !== undefined) {
    await set("policy", chosen.label);
  }
}

/** Let the person choose the repairs: what is chosen counts over `ghosttape.toml`, also if it is all of them. */
export async function pickRepairs(): Promise<void> {
  const way = await window.showQuickPick(Object.values(WAYS), { title: REPAIRS_TITLE });
  const repairs = way === undefined ? undefined : await repairsBy(way);
  if (repairs !== undefined) {
    await set("repairs", repairs);
  }
}

/** The repairs that a way of choosing gives; null: those of `ghosttape.toml`, undefined: none was chosen. */
async function repairsBy(way: QuickPickItem): Promise<readonly string[] | null | undefined> {
  if (way !== WAYS.some) {
    return way === WAYS.toml ? null : way === WAYS.all ? REPAIRS : [];
  }
  const current = workspace.getConfiguration("ghosttape").get<readonly string[] | null>("repairs") ?? REPAIRS;
  const items = REPAIRS.map((label) => ({ label, picked: current.includes(label) }));
  const chosen = await window.showQuickPick(items, { title: REPAIRS_TITLE, canPickMany: true });
  return chosen?.map(({ label }) => label);
}

/** Ask for a provider's key and store it. */
export async function storeKey(keys: Keys): Promise<void> {
  const provider = await window.showQuickPick([...KEYED_PROVIDERS], { title: "Whose key?" });
  if (provider === undefined) {
    return;
  }
  const key = await window.showInputBox({
    title: `Key for ${provider}`,
    prompt: "It is kept in the editor's secret storage, and given to the server in its environment only.",
    password: true,
    ignoreFocusOut: true,
    validateInput: keyProblem,
  });
  if (key !== undefined) {
    await keys.store(provider, key);
  }
}

/** Let the person delete a key that is stored. */
export async function deleteKey(keys: Keys): Promise<void> {
  const stored = await keys.stored();
  const provider = await window.showQuickPick([...stored], { title: "Delete whose key?", placeHolder: stored.length > 0 ? "" : "No key is stored" });
  if (provider !== undefined) {
    await keys.delete(provider);
  }
}

function currentProvider(): Provider {
  try {
    return configuredProvider().provider;
  } catch {
    return {}; // it is wrong, which the start of the server reports; another one can be chosen
  }
}

/** Change a setting where it is set now; where it is not, in the user's settings. */
async function set(name: string, value: unknown): Promise<void> {
  const settings = workspace.getConfiguration("ghosttape");
  await settings.update(name, value, isOfWorkspace(name) ? ConfigurationTarget.Workspace : ConfigurationTarget.Global);
}

function isOfWorkspace(name: string): boolean {
  return workspace.getConfiguration("ghosttape").inspect(name)?.workspaceValue !== undefined;
}
