import { commands, ConfigurationTarget, languages, RelativePattern, type TextDocument, window, workspace } from "vscode";

import { decidingGlob, decidingScope, type EnablementScope, type EnablementTable, isEnabled } from "./enablement";

const SETTING = "ghosttape.enable";
const OPEN = "Open Settings";
const TARGETS: Readonly<Record<EnablementScope, ConfigurationTarget>> = {
  folder: ConfigurationTarget.WorkspaceFolder,
  workspace: ConfigurationTarget.Workspace,
  global: ConfigurationTarget.Global,
};

/** Say whether completions are offered in a document, by the setting `ghosttape.enable`. */
export function isEnabledIn(document: TextDocument): boolean {
  return isEnabled(tableFor(document), document.languageId, matching(document));
}

/** Switch completions on or off for the language of the open document: in the settings that decide about it, else in the user's own. */
export async function toggleLanguage(): Promise<void> {
  const document = window.activeTextEditor?.document;
  if (document === undefined) {
    await window.showInformationMessage("Open a file of the language first.");
    return;
  }
  const isOn = isEnabledIn(document);
  const glob = decidingGlob(tableFor(document), matching(document));
  await (glob === undefined ? switchTo(document, !isOn) : tellOfGlob(glob, isOn));
}

async function switchTo(document: TextDocument, isOn: boolean): Promise<void> {
  const { languageId } = document;
  const settings = workspace.getConfiguration("ghosttape", document);
  const said = settings.inspect<EnablementTable>("enable");
  const tables = { folder: said?.workspaceFolderValue, workspace: said?.workspaceValue, global: said?.globalValue };
  const scope = decidingScope(tables, languageId);
  await settings.update("enable", { ...tables[scope], [languageId]: isOn }, TARGETS[scope]);
  await window.showInformationMessage(`Completions are ${isOn ? "on" : "off"} for ${languageId}.`);
}

async function tellOfGlob(glob: string, isOn: boolean): Promise<void> {
  const words = `Completions stay ${isOn ? "on" : "off"} in this file, whatever its language is: "${glob}" in the setting ${SETTING} decides.`;
  if ((await window.showInformationMessage(words, OPEN)) !== undefined) {
    await commands.executeCommand("workbench.action.openSettings", SETTING);
  }
}

function tableFor(document: TextDocument): EnablementTable {
  return workspace.getConfiguration("ghosttape", document).get<EnablementTable>("enable", {});
}

function matching(document: TextDocument): (glob: string) => boolean {
  const folder = workspace.getWorkspaceFolder(document.uri);
  return (glob) => {
    const pattern = folder === undefined || glob.startsWith("/") ? glob : new RelativePattern(folder, glob);
    return languages.match({ pattern }, document) > 0;
  };
}
