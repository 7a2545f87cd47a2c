/** What can be offered beside the message: to install the server, or to install a newer one. */
export type Remedy = "install" | "update";

/** Something the person can put right: says what is wrong, names the setting that mends it, and what else helps. */
export class SetupError extends Error {
  override readonly name = "SetupError";
  readonly setting: string;
  readonly remedy: Remedy | undefined;

  constructor(message: string, setting: string, remedy?: Remedy) {
    super(message);
    this.setting = setting;
    this.remedy = remedy;
  }
}
