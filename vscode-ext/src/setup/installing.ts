import { env, Uri, window, workspace } from "vscode";

import { DEFAULT_SOURCE, installCommand, type Installer, INSTALLERS } from "./commands";
import type { Remedy } from "./errors";
import { findProgram, type Surroundings } from "./location";

const EVERY = 1000;
const PAGE = "https://docs.astral.sh/uv/getting-started/installation/";

/**
 * Ask which command may install the server, run it in a terminal, and call `installed` when the program is there. Nothing is
 * run before the person has chosen the command.
 */
export async function install(remedy: Remedy, surroundings: Surroundings, installed: () => void): Promise<void> {
  const commands = possible(surroundings).flatMap((tool) => installCommand(tool, source(), remedy === "update") ?? []);
  if (commands.length === 0) {
    await explainTools();
    return;
  }
  const chosen = await window.showQuickPick(commands, {
    title: "Run this command in a terminal?",
    placeHolder: "It installs the ghosttape language server in an environment of its own",
  });
  if (chosen !== undefined) {
    run(chosen, surroundings, remedy, installed);
  }
}

function possible(surroundings: Surroundings): readonly Installer[] {
  return INSTALLERS.filter((tool) => findProgram(tool, surroundings) !== undefined);
}

function source(): string {
  return workspace.getConfiguration("ghosttape").get("install.source", DEFAULT_SOURCE).trim() || DEFAULT_SOURCE;
}

async function explainTools(): Promise<void> {
  const answer = await window.showWarningMessage(
    "ghosttape is installed with uv or pipx, and neither was found; or ghosttape.install.source cannot be given to a shell.",
    "How to Install uv",
  );
  if (answer !== undefined) {
    await env.openExternal(Uri.parse(PAGE));
  }
}

/** Run a command in a terminal that stays open, and look for the program until the terminal is closed. */
function run(command: string, surroundings: Surroundings, remedy: Remedy, installed: () => void): void {
  const terminal = window.createTerminal("Install ghosttape");
  terminal.show();
  terminal.sendText(command);
  const isThere = (): boolean => findProgram("ghosttape", surroundings) !== undefined;
  const looking = setInterval(() => {
    if (remedy === "install" && isThere()) {
      finish();
    }
  }, EVERY);
  const closing = window.onDidCloseTerminal((closed) => {
    if (closed === terminal) {
      finish();
    }
  });
  const finish = (): void => {
    clearInterval(looking);
    closing.dispose();
    installed();
  };
}
