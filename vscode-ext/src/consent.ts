/** Where an answer is kept between sessions; `vscode.Memento` is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export const CONSENT = "ghosttape.recording.agreed";
/** Set when the question is put, so that no other window and no restart puts it again. */
export const ASKED = "ghosttape.recording.asked";

export type Consent = "yes" | "no" | "ask";

/**
 * Say whether this session may be recorded: only with the setting on and a yes to the question, which is put once. Turning
 * the setting off takes the yes back, so that the question comes again when it is turned on.
 */
export async function consent(setting: unknown, memory: Memory): Promise<Consent> {
  if (setting !== true) {
    for (const key of [CONSENT, ASKED]) {
      if (memory.get(key) !== undefined) {
        await memory.update(key, undefined);
      }
    }
    return "no";
  }
  if (memory.get(CONSENT) === true) {
    return "yes";
  }
  return memory.get(ASKED) === true ? "no" : "ask";
}

/** Take the question for this window: true for the one that may put it. */
export async function takesQuestion(setting: unknown, memory: Memory): Promise<boolean> {
  if ((await consent(setting, memory)) !== "ask" || memory.get(ASKED) === true) {
    return false;
  }
  await memory.update(ASKED, true);
  return true;
}
