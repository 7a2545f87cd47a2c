import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

import { SetupError } from "./errors";

/** Where the server is looked for. */
export interface Surroundings {
  /** The setting `ghosttape.server.path`; empty to search PATH. */
  readonly configured: string;
  /** The environment variable PATH. */
  readonly searchPath: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  isExecutable(file: string): boolean;
}

const SETTING = "ghosttape.server.path";

/**
 * Find the server's executable and give its absolute path.
 *
 * Relative paths are refused, in the setting and in PATH: they would let the opened folder choose what is run.
 *
 * @throws SetupError if there is none.
 */
export function locate(surroundings: Surroundings): string {
  const configured = surroundings.configured.trim();
  return configured === "" ? onPath(surroundings) : asConfigured(configured, surroundings);
}

/** Say whether `file` is a file that this process may run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function asConfigured(configured: string, surroundings: Surroundings): string {
  const path = pathOf(surroundings);
  const file = /^~[/\\]/.test(configured) ? path.join(surroundings.home, configured.slice(2)) : configured;
  if (!path.isAbsolute(file)) {
    throw new SetupError(`${SETTING} must be an absolute path or start with ~/, but is "${configured}".`, SETTING);
  }
  if (!surroundings.isExecutable(file)) {
    throw new SetupError(`${SETTING} names "${file}", which is not a file that can be run.`, SETTING);
  }
  return file;
}

function onPath(surroundings: Surroundings): string {
  const path = pathOf(surroundings);
  const executable = surroundings.platform === "win32" ? "ghosttape.exe" : "ghosttape";
  const found = surroundings.searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, executable))
    .find((file) => surroundings.isExecutable(file));
  if (found === undefined) {
    throw new SetupError(
      `The ghosttape language server was not found: there is no "${executable}" on PATH. ` +
        `Install it with "uv tool install" or "pipx install", or set ${SETTING}.`,
      SETTING,
    );
  }
  return found;
}

function pathOf({ platform }: Surroundings): typeof posix {
  return platform === "win32" ? win32 : posix;
}
