/** Something the person can put right: says what is wrong, and names the setting that mends it. */
export class SetupError extends Error {
  override readonly name = "SetupError";
  readonly setting: string;

  constructor(message: string, setting: string) {
    super(message);
    this.setting = setting;
  }
}
