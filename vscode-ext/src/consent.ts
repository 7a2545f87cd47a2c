/** Where an answer is kept between sessions; `vscode.Memento` is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export const CONSENT = "ghosttape.recording.agreed";

export type Consent = "yes" | "no" | "ask";

/**
 * Say whether this session may be recorded: only with the setting on and a yes to the question. Turning the setting off
 * takes the yes back, so that the question comes again when it is turned on.
 */
export async function consent(setting: unknown, memory: Memory): Promise<Consent> {
  if (setting !== true) {
    if (memory.get(CONSENT) !== undefined) {
      await memory.update(CONSENT, undefined);
    }
    return "no";
  }
  return memory.get(CONSENT) === true ? "yes" : "ask";
}
