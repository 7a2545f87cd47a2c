import { SetupError } from "./errors";
import { PATH_SETTING } from "./location";

/** The oldest server that has all that this extension asks for. */
export const OLDEST_SERVER = "0.1.0";

/** What a language server says of itself in its answer to `initialize`. */
export interface ServerInfo {
  readonly name: string;
  readonly version?: string;
}

/**
 * Check that the program behind `command` is a ghosttape language server that is new enough, and give its version.
 *
 * @throws SetupError if it is another server, or an older one.
 */
export function checkIdentity(command: string, info: ServerInfo | undefined): string {
  if (info?.name !== "ghosttape" || info.version === undefined) {
    const name = info?.name === undefined ? "which does not say its name" : `which calls itself "${info.name}"`;
    throw new SetupError(
      `A language server answered ${name}, not ghosttape's. Set ${PATH_SETTING} to the program "ghosttape". It is "${command}" now.`,
      PATH_SETTING,
    );
  }
  if (isOlder(info.version, OLDEST_SERVER)) {
    throw new SetupError(
      `ghosttape ${info.version} is too old: this extension needs ${OLDEST_SERVER} or newer. Install a newer one; this one is "${command}".`,
      PATH_SETTING,
      "update",
    );
  }
  return info.version;
}

/** Compare the numbers of two versions: `isOlder("0.9.1", "0.10")`. What follows the numbers (`.dev3`, `rc1`) does not count. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbers(version), numbers(than)];
  for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
    const difference = (ours[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}

function numbers(version: string): readonly number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}
