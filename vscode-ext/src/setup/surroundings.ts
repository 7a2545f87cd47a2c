import { homedir } from "node:os";

import { type LogOutputChannel, workspace } from "vscode";

import { isExecutable, type Surroundings } from "./location";
import { environmentFolders } from "./python";

/** Where programs are looked for in this window, now. An environment in a folder that is not trusted is not among it. */
export async function currentSurroundings(log: LogOutputChannel): Promise<Surroundings> {
  const configured = workspace.getConfiguration("ghosttape").get("server.path", "");
  const asks = configured.trim() === "" && workspace.isTrusted;
  return {
    configured,
    environment: asks ? await environmentFolders(log) : [],
    variables: process.env,
    home: homedir(),
    platform: process.platform,
    isExecutable,
  };
}
