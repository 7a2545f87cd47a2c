import { commands, env, type ExtensionContext, type LogOutputChannel, window, workspace } from "vscode";

import { createClient, type GhostClient } from "./client";
import { SetupError } from "./errors";
import { recordingFolder } from "./recording";
import { serial } from "./serial";

const RESTARTING_SETTINGS = ["ghosttape.server", "ghosttape.provider", "ghosttape.record"];
/** Settings of the machine that the server runs on; in a remote window only the remote settings have them. */
const MACHINE_SETTINGS = ["ghosttape.server.path"];

let client: GhostClient | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("ghosttape", { log: true });
  const restart: () => Promise<void> = serial(async () => {
    await stop(log);
    await start(log, await recordingFolder(context, () => void restart()));
  });
  context.subscriptions.push(
    log,
    commands.registerCommand("ghosttape.restart", restart),
    workspace.onDidGrantWorkspaceTrust(() => void restart()),
    workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING_SETTINGS.some((setting) => change.affectsConfiguration(setting))) {
        void restart();
      }
    }),
  );
  void restart();
}

export async function deactivate(): Promise<void> {
  await client?.retire();
}

async function start(log: LogOutputChannel, recordTo: string | undefined): Promise<void> {
  try {
    client = createClient(log, recordTo);
    await client.start();
  } catch (error) {
    report(error, log);
  }
}

async function stop(log: LogOutputChannel): Promise<void> {
  try {
    await client?.retire();
  } catch (error) {
    log.warn(String(error));
  }
  client = undefined;
}

function report(error: unknown, log: LogOutputChannel): void {
  const reason = error instanceof Error ? error.message : String(error);
  const setting = error instanceof SetupError ? error.setting : "ghosttape";
  log.error(reason);
  void window.showErrorMessage(`ghosttape could not start. ${reason}`, "Open Settings", "Show Log").then((action) => {
    if (action === "Open Settings") {
      void openSettings(setting);
    } else if (action === "Show Log") {
      log.show();
    }
  });
}

async function openSettings(query: string): Promise<void> {
  const remote = env.remoteName !== undefined && MACHINE_SETTINGS.includes(query);
  await commands.executeCommand(`workbench.action.${remote ? "openRemoteSettings" : "openSettings"}`, { query });
}
