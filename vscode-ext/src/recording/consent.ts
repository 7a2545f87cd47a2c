/** Where an answer is kept for a workspace; VS Code's `workspaceState` is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Whether a workspace is recorded: only after the person said yes for this workspace. */
export type RecordingState = "off" | "on" | "paused";

/** With a number, which rises when more is recorded: a yes to less counts no more. 2: test runs in terminals. */
export const CHOICE = "ghosttape.recording.2";
const FORMER = "ghosttape.recording";

/** The person's choice for this workspace. Settings have no part in it, so that no file of a workspace can switch it on. */
export class RecordingChoice {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get state(): RecordingState {
    const kept = this.#memory.get(CHOICE);
    return kept === "on" || kept === "paused" ? kept : "off";
  }

  /** Forget a yes to less than what is recorded now; whether there was one. */
  async forgetFormer(): Promise<boolean> {
    const kept = this.#memory.get(FORMER);
    await this.#memory.update(FORMER, undefined);
    return kept === "on" || kept === "paused";
  }

  /** Keep a choice; "on" is only for someone who has just said yes, or said it before. */
  async choose(state: RecordingState): Promise<void> {
    await this.#memory.update(CHOICE, state === "off" ? undefined : state);
  }
}
