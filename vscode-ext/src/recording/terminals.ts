import { Disposable, type Uri, window, workspace } from "vscode";

import { mayRunTests, tailOf } from "./output";

/** A command that ended in a terminal, as `ghosttape/terminal` says it. */
export interface EndedCommand {
  readonly command: string;
  /** The end of what it printed. */
  readonly output: string;
  /** null: the shell did not say it. */
  readonly exitCode: number | null;
}

/** The part of VS Code's shell integration that is used here: it is newer (1.93) than the oldest VS Code that is supported. */
interface Execution {
  readonly commandLine: { readonly value: string };
  readonly cwd: Uri | undefined;
  read(): AsyncIterable<string>;
}
interface ShellApi {
  readonly onDidStartTerminalShellExecution?: (listener: (event: { readonly execution: Execution }) => void) => Disposable;
  readonly onDidEndTerminalShellExecution?: (
    listener: (event: { readonly execution: Execution; readonly exitCode: number | undefined }) => void,
  ) => Disposable;
}

const LAST_WORDS = 1000;

/** Call `ended` for each command that may be a test run, and begins and ends in a terminal, in a folder of this workspace. The output of others is not read. */
export function onCommandEnd(ended: (command: EndedCommand) => void): Disposable {
  const { onDidStartTerminalShellExecution: onStart, onDidEndTerminalShellExecution: onEnd } = window as ShellApi;
  if (onStart === undefined || onEnd === undefined) {
    return new Disposable(() => undefined);
  }
  const outputs = new WeakMap<Execution, Promise<string>>();
  return Disposable.from(
    onStart(({ execution }) => {
      if (isOurs(execution.cwd) && mayRunTests(execution.commandLine.value)) {
        outputs.set(execution, tailOf(execution.read()));
      }
    }),
    onEnd(({ execution, exitCode }) => {
      const output = outputs.get(execution);
      if (output !== undefined && mayRunTests(execution.commandLine.value)) {
        void tell(execution.commandLine.value, output, exitCode ?? null, ended);
      }
    }),
  );
}

/** The output may still be coming when a command has ended. */
async function tell(command: string, output: Promise<string>, exitCode: number | null, ended: (command: EndedCommand) => void): Promise<void> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, LAST_WORDS, ""));
  ended({ command, output: await Promise.race([output, late]), exitCode });
}

function isOurs(folder: Uri | undefined): boolean {
  return folder === undefined || workspace.getWorkspaceFolder(folder) !== undefined;
}
