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

/** A tape on the disk: when it was written to last, and its size in bytes. */
export interface TapeFile {
  readonly path: string;
  readonly session: string;
  readonly at: Date;
  readonly size: number;
}

/** The tapes of all sessions of a workspace, the newest first. */
export function tapesOf(workspaceTapes: string): readonly TapeFile[] {
  const sessions = existsSync(workspaceTapes) ? readdirSync(workspaceTapes).map((name) => join(workspaceTapes, name)) : [];
  const tapes = sessions.filter((folder) => statSync(folder).isDirectory()).flatMap(tapesIn);
  return tapes.sort((one, other) => other.at.getTime() - one.at.getTime());
}

function tapesIn(session: string): TapeFile[] {
  const paths = readdirSync(session).filter((name) => name.endsWith(TAPE)).map((name) => join(session, name));
  return paths.map((path) => {
    const { mtime, size } = statSync(path);
    return { path, session, at: mtime, size };
  });
}
