import { commands, env, type LogOutputChannel, window } from "vscode";

import { type Remedy, SetupError } from "./errors";

/** Settings of the machine that the server runs on; in a remote window only the remote settings have them. */
const MACHINE_SETTINGS = ["ghosttape.server.path"];
const OFFERS: Readonly<Record<Remedy, string>> = { install: "Install…", update: "Update…" };

/** Tell the person why the server could not be started, with what helps; `mend` is called when they choose to install it. */
export async function report(error: unknown, log: LogOutputChannel, mend: () => void): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const { setting, remedy } = error instanceof SetupError ? error : { setting: "ghosttape", remedy: undefined };
  const offers = remedy === undefined ? [] : [OFFERS[remedy]];
  const action = await window.showErrorMessage(`ghosttape could not start. ${reason}`, ...offers, "Open Settings", "Show Log");
  if (action === "Open Settings") {
    await openSettings(setting);
  } else if (action === "Show Log") {
    log.show();
  } else if (action !== undefined && remedy !== undefined) {
    mend();
  }
}

async function openSettings(query: string): Promise<void> {
  const remote = env.remoteName !== undefined && MACHINE_SETTINGS.includes(query);
  await commands.executeCommand(`workbench.action.${remote ? "openRemoteSettings" : "openSettings"}`, { query });
}
