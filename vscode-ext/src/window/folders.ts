import { homedir } from "node:os";

import { workspace } from "vscode";

/** The folders of the workspace that are on this machine, in their order. */
export function fileFolders(): readonly string[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}

/** Where the server runs, and so looks for ghosttape.toml: never in a folder that is not trusted. */
export function serverFolder(): string {
  const [first] = fileFolders();
  return workspace.isTrusted && first !== undefined ? first : homedir();
}
