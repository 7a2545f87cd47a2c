import { commands, ConfigurationTarget, type Disposable, window, workspace } from "vscode";

import type { Asking } from "./asking";

const CORE = "editor.action.inlineSuggest.";
const MINUTE = 60_000;
const NAPS: readonly { readonly label: string; readonly ms: number }[] = [
  { label: "5 minutes", ms: 5 * MINUTE },
  { label: "30 minutes", ms: 30 * MINUTE },
  { label: "2 hours", ms: 120 * MINUTE },
  { label: "Until I wake it", ms: Number.POSITIVE_INFINITY },
];

/** Register the commands about what is typed and shown. `changed` is called when the snooze begins or ends. */
export function typingCommands(asking: Asking, changed: () => void): readonly Disposable[] {
  const core = (name: string) => async (): Promise<void> => {
    await commands.executeCommand(CORE + name);
  };
  const more = (name: string) => async (): Promise<void> => {
    asking.wantMore();
    await commands.executeCommand(CORE + name);
  };
  const registered = {
    trigger: core("trigger"),
    acceptWord: core("acceptNextWord"),
    acceptLine: core("acceptNextLine"),
    next: more("showNext"),
    previous: more("showPrevious"),
    dismiss: async (): Promise<void> => {
      asking.dismissed();
      await commands.executeCommand(`${CORE}hide`);
    },
    snooze: () => snooze(asking, changed),
    wake: () => {
      asking.snooze.wake();
      changed();
    },
    toggleLanguage,
  };
  return Object.entries(registered).map(([name, run]) => commands.registerCommand(`ghosttape.${name}`, run));
}

async function snooze(asking: Asking, changed: () => void): Promise<void> {
  const nap = await window.showQuickPick([...NAPS], { title: "Offer no completions by themselves for" });
  if (nap === undefined) {
    return;
  }
  asking.snooze.sleep(Date.now() + nap.ms);
  changed();
}

/** Switch completions on or off for the language of the open document, in the user's settings. */
async function toggleLanguage(): Promise<void> {
  const language = window.activeTextEditor?.document.languageId;
  if (language === undefined) {
    await window.showInformationMessage("Open a file of the language first.");
    return;
  }
  const settings = workspace.getConfiguration("ghosttape");
  const table = settings.inspect<Record<string, boolean>>("enable")?.globalValue ?? {};
  const all = settings.get<Record<string, boolean>>("enable", {});
  const isOn = (all[language] ?? all["*"]) !== false;
  await settings.update("enable", { ...table, [language]: !isOn }, ConfigurationTarget.Global);
  await window.showInformationMessage(`Completions are ${isOn ? "off" : "on"} for ${language}.`);
}
