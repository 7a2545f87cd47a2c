import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";

import { type Remedy, SetupError } from "./errors";

/** Where a program is looked for. */
export interface Surroundings {
  /** The setting `ghosttape.server.path`; empty to search. */
  readonly configured: string;
  /** Folders of programs of the chosen Python environment, absolute; searched before PATH. */
  readonly environment: readonly string[];
  /** The process's environment variables: PATH, and those that say where `uv tool` and `pipx` put programs. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  isExecutable(file: string): boolean;
}

export const PATH_SETTING = "ghosttape.server.path";
/** Where `uv tool install` and `pipx install` put programs, unless told otherwise; often not on the PATH of an editor. */
const TOOL_VARIABLES = ["UV_TOOL_BIN_DIR", "PIPX_BIN_DIR", "XDG_BIN_HOME"];

/**
 * Find the server's executable and give its absolute path: by the setting, in the chosen Python environment, on PATH, and
 * where `uv tool` and `pipx` install.
 *
 * Relative paths are refused, in the setting and in PATH: they would let the opened folder choose what is run.
 *
 * @throws SetupError if there is none.
 */
export function locate(surroundings: Surroundings): string {
  const configured = surroundings.configured.trim();
  return configured === "" ? search(surroundings) : asConfigured(configured, surroundings);
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

/** The absolute path of a program in the first of the searched folders that has it; undefined if none has. */
export function findProgram(name: string, surroundings: Surroundings): string | undefined {
  const path = pathOf(surroundings);
  const executable = surroundings.platform === "win32" ? `${name}.exe` : name;
  return folders(surroundings)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, executable))
    .find((file) => surroundings.isExecutable(file));
}

/** What *Install or Update Server…* has to do: a program that is there, such as one that is too old, is installed anew only by an update. */
export function remedyIn(surroundings: Surroundings): Remedy {
  return findProgram("ghosttape", surroundings) === undefined ? "install" : "update";
}

/** The folders in which a Python environment with this interpreter has its programs. */
export function programFolders(interpreter: string, platform: NodeJS.Platform): readonly string[] {
  const path = pathOf({ platform });
  const folder = path.dirname(interpreter);
  return platform === "win32" ? [folder, path.join(folder, "Scripts")] : [folder];
}

function asConfigured(configured: string, surroundings: Surroundings): string {
  const path = pathOf(surroundings);
  const file = /^~[/\\]/.test(configured) ? path.join(surroundings.home, configured.slice(2)) : configured;
  if (!path.isAbsolute(file)) {
    throw new SetupError(`${PATH_SETTING} must be an absolute path or start with ~/, but is "${configured}".`, PATH_SETTING);
  }
  if (!surroundings.isExecutable(file)) {
    throw new SetupError(`${PATH_SETTING} names "${file}", which is not a file that can be run.`, PATH_SETTING);
  }
  return file;
}

function search(surroundings: Surroundings): string {
  const found = findProgram("ghosttape", surroundings);
  if (found === undefined) {
    throw new SetupError(
      'The ghosttape language server was not found: "ghosttape" is neither in the chosen Python environment nor on PATH. ' +
        `Install it, or set ${PATH_SETTING}.`,
      PATH_SETTING,
      "install",
    );
  }
  return found;
}

function folders({ environment, variables, home, platform }: Surroundings): readonly string[] {
  const path = pathOf({ platform });
  const tools = [...TOOL_VARIABLES.map((name) => variables[name] ?? ""), path.join(home, ".local", "bin")];
  return [...environment, ...(variables["PATH"] ?? "").split(path.delimiter), ...tools];
}

function pathOf({ platform }: Pick<Surroundings, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}
