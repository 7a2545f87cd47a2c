import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const TAPE = ".tape.jsonl";

/**
 * The folder for one session of a server, inside that of its workspace: `recordings/shop-1a2b3c4d/2026-11-23T17-45-00-000Z`.
 * Each session has its own, so that its tape is known. The server makes it when it records something.
 */
export function sessionFolder(recordings: string, workspace: string, now: Date): string {
  return join(workspaceFolder(recordings, workspace), now.toISOString().replace(/[:.]/g, "-"));
}

/** The folder of all tapes of a workspace, which is named by the address of its folder or file. */
export function workspaceFolder(recordings: string, workspace: string): string {
  const name = basename(decodeURIComponent(workspace)).replace(/[^\w.-]/g, "_") || "workspace";
  return join(recordings, `${name}-${createHash("sha256").update(workspace).digest("hex").slice(0, 8)}`);
}

/** The newest tape in the folders of sessions; undefined if there is none. */
export function newestTape(sessions: readonly string[]): string | undefined {
  const tapes = sessions.filter((folder) => existsSync(folder)).flatMap(tapesIn);
  return tapes.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
}

function tapesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(TAPE))
    .map((name) => join(folder, name));
}
