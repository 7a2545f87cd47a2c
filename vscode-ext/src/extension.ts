import { type ExtensionContext, type LogOutputChannel, window, workspace } from "vscode";

import { onEnvironmentChange } from "./setup/python";
import { GhosttapeWindow } from "./window/window";

const SERVER_SETTINGS = ["ghosttape.provider", "ghosttape.repairs"];

let ghosttape: GhosttapeWindow | undefined;

export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("ghosttape", { log: true });
  const started = (ghosttape = new GhosttapeWindow(context, log));
  context.subscriptions.push(
    log,
    workspace.onDidChangeConfiguration((change) => {
      const affects = (setting: string): boolean => change.affectsConfiguration(setting);
      if (affects("ghosttape.server.path")) {
        void started.restart();
        return;
      }
      if (affects("ghosttape.policy")) {
        started.followPolicy();
      }
      if (SERVER_SETTINGS.some(affects)) {
        void started.reconfigure();
      }
    }),
  );
  void started.restart();
  void watchEnvironment(context, log, () => void started.restart());
}

export async function deactivate(): Promise<void> {
  await ghosttape?.stop();
}

/** Look for the server again when another Python environment is chosen. */
async function watchEnvironment(context: ExtensionContext, log: LogOutputChannel, restart: () => void): Promise<void> {
  const subscription = await onEnvironmentChange(log, restart);
  if (subscription !== undefined) {
    context.subscriptions.push(subscription);
  }
}
