/** A file or folder, with the line in it, that a message of the server begins with. */
const PLACE = /^((?:\/|[A-Za-z]:[\\/]|~\/)[^\n:]*(?::\d+)*): (?=\S)/;

/** The words of an error for the person, the cause first: a long path hides it where a message is cut. `a: b` becomes `b (a)`. */
export function causeOf(error: unknown): string {
  const said = (error instanceof Error ? error.message : String(error)).replace(/^ghosttape\.[\w.]+: /, "");
  const place = PLACE.exec(said);
  return place === null ? said : `${said.slice(place[0].length)} (${place[1] ?? ""})`;
}

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

/** A start that failed for a reason that may pass by itself, such as a machine that is short of time or memory: it is tried again. */
export class PassingError extends SetupError {}
