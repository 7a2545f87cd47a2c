/** What is said where the tests of a project would be run in a workspace that is not trusted. */
export const NEEDS_TRUST = "Running the tests of a project needs a trusted workspace.";

/** Lets one run go on in a window at a time: the notifications of the server do not say of which run they are. */
export class Turn {
  #running: "replay" | "evaluation" | undefined;

  /** Why no run can begin now; undefined if one can. */
  refusal(): string | undefined {
    if (this.#running === undefined) {
      return undefined;
    }
    return `${this.#running === "replay" ? "A replay" : "An evaluation"} is still running: wait for it, or cancel it.`;
  }

  /** A run begins; what is returned ends it. @throws Error if another one goes on. */
  begin(run: "replay" | "evaluation"): () => void {
    const reason = this.refusal();
    if (reason !== undefined) {
      throw new Error(reason);
    }
    this.#running = run;
    return () => {
      this.#running = undefined;
    };
  }
}
