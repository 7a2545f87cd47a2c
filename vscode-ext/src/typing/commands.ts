import { commands, type Disposable, type TextDocument, window } from "vscode";

import type { ChangeReason } from "../recording/reasons";
import type { Asking } from "./asking";
import { toggleLanguage } from "./enabling";
import type { Turn } from "./visible";

const CORE = "editor.action.inlineSuggest.";
const MINUTE = 60_000;
const NAPS: readonly { readonly label: string; readonly ms: number }[] = [
  { label: "5 minutes", ms: 5 * MINUTE },
  { label: "30 minutes", ms: 30 * MINUTE },
  { label: "2 hours", ms: 120 * MINUTE },
  { label: "Until I wake it", ms: Number.POSITIVE_INFINITY },
];

/** What the commands tell of. */
export interface TypingListener {
  /** The snooze has begun or ended. */
  slept(): void;
  /** The person dismissed what this document showed. */
  dismissed(document: TextDocument): void;
}

/** Runs something that changes the active document for a reason. */
export type During = (reason: ChangeReason, run: () => Thenable<unknown>) => Promise<void>;

/** Register the commands about what is typed and shown. */
export function typingCommands(asking: Asking, listener: TypingListener, during: During): readonly Disposable[] {
  const core = (name: string) => async (): Promise<void> => {
    await commands.executeCommand(CORE + name);
  };
  const accept = (name: string) => () => during("accept", () => commands.executeCommand(CORE + name));
  const more = (name: string, turn: Turn) => async (): Promise<void> => {
    asking.wantMore(turn);
    await commands.executeCommand(CORE + name);
  };
  const registered = {
    trigger: core("trigger"),
    acceptWord: accept("acceptNextWord"),
    acceptLine: accept("acceptNextLine"),
    next: more("showNext", 1),
    previous: more("showPrevious", -1),
    dismiss: async (): Promise<void> => {
      const document = window.activeTextEditor?.document;
      if (document !== undefined && asking.dismissed(document)) {
        listener.dismissed(document);
      }
      await commands.executeCommand(`${CORE}hide`);
    },
    save: () => during("format", () => commands.executeCommand("workbench.action.files.save")),
    formatDocument: () => during("format", () => commands.executeCommand("editor.action.formatDocument")),
    snooze: () => snooze(asking, () => { listener.slept(); }),
    wake: () => {
      asking.snooze.wake();
      listener.slept();
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
