import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const OWN = join(".ghosttape", "runs");
const DATABASE = "run.sqlite";

/** Where the runs of a window are kept: in the folder of their project, or in the extension's own where there is none. */
export class RunFolders {
  readonly #folders: () => readonly string[];
  readonly #isTrusted: () => boolean;
  readonly #storage: string;

  /** `folders` are those of the workspace, `storage` is the extension's own for runs. */
  constructor(folders: () => readonly string[], isTrusted: () => boolean, storage: string) {
    this.#folders = folders;
    this.#isTrusted = isTrusted;
    this.#storage = storage;
  }

  /** A new run of the project in a folder. */
  ofProject(folder: string, what: string): string {
    return join(folder, OWN, nameOf(what, new Date()));
  }

  /** A new run of no project of the workspace: it goes to the first folder, as on the command line there, unless that is not trusted. */
  ofWindow(what: string): string {
    const [first] = this.projects();
    return first === undefined ? join(this.#storage, nameOf(what, new Date())) : this.ofProject(first, what);
  }

  /** The folders of the workspace in which the project of a tape may lie: only where they are trusted, for its tests are run. */
  projects(): readonly string[] {
    return this.#isTrusted() ? this.#folders() : [];
  }

  /** All runs of this workspace, and those of no folder; the newest first. */
  newestFirst(): readonly string[] {
    const found = [...this.#folders().map((folder) => join(folder, OWN)), this.#storage].flatMap(runsIn);
    return found.sort((one, other) => other.at - one.at).map(({ folder }) => folder);
  }
}

/** The name of a run, as the command line gives them: `20260131-120000-evaluate-shop.py-3f9a`. */
export function nameOf(what: string, now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const stamp = local.slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  const name = `${stamp}-${what}-${randomBytes(2).toString("hex")}`;
  return name.replace(/[^\w.-]+/g, "-").replace(/\.{2,}/g, "-");
}

function runsIn(parent: string): { readonly folder: string; readonly at: number }[] {
  const names = existsSync(parent) ? readdirSync(parent) : [];
  const folders = names.map((name) => join(parent, name)).filter((folder) => existsSync(join(folder, DATABASE)));
  return folders.map((folder) => ({ folder, at: statSync(join(folder, DATABASE)).mtimeMs }));
}
