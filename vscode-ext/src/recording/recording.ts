import { rm } from "node:fs/promises";
import { join } from "node:path";

import {
  commands,
  env,
  type ExtensionContext,
  type ProcessExecution,
  Task,
  TaskScope,
  tasks,
  Uri,
  window,
  workspace,
} from "vscode";

import { RecordingChoice, type RecordingState } from "./consent";
import { sessionFolder, type TapeFile, tapesOf, workspaceFolder } from "./tapes";

const NONE = "There is no recording of this workspace yet.";

/** Records this workspace, when the person wants that, and shows, deletes and replays its tapes. */
export class Recording {
  readonly #choice: RecordingChoice;
  readonly #recordings: string;
  readonly #restart: () => Promise<void>;
  readonly #sessions: string[] = [];
  #restarted: Promise<void> = Promise.resolve();

  /** `restart` starts the server again: one session of it is one tape. */
  constructor(context: ExtensionContext, restart: () => Promise<void>) {
    this.#choice = new RecordingChoice(context.workspaceState);
    this.#recordings = join(context.globalStorageUri.fsPath, "recordings");
    this.#restart = restart;
    this.#tellKeys();
    context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(() => { this.#tellKeys(); }));
    void this.#askAgain();
  }

  /** What is shown: "off" also where nothing can be recorded. */
  get state(): RecordingState {
    return canRecord() ? this.#choice.state : "off";
  }

  /** The folder of a session that starts now; undefined if it is not recorded. */
  nextSession(): string | undefined {
    if (this.state !== "on") {
      return undefined;
    }
    const folder = sessionFolder(this.#recordings, workspaceName(), new Date());
    this.#sessions.push(folder);
    return folder;
  }

  /** Record this workspace: after a yes to a plain question, or at once if it was said before and only paused. */
  async start(): Promise<void> {
    if (!canRecord()) {
      await window.showInformationMessage("Only files of a folder that is open and trusted are recorded: open one first.");
    } else if (this.state === "paused" || (this.state === "off" && (await this.#agrees()))) {
      await this.#choose("on");
    }
  }

  /** Record nothing until `start`; the tape so far is complete. */
  async pause(): Promise<void> {
    if (this.state === "on") {
      await this.#choose("paused");
    }
  }

  /** Record nothing any more, and ask before it is recorded again. */
  async stop(): Promise<void> {
    if (this.state !== "off") {
      await this.#choose("off");
    }
  }

  /** Show the tapes of this workspace in the system's file browser, or in a window where the files are on another machine. */
  async openFolder(): Promise<void> {
    const folder = Uri.file(workspaceFolder(this.#recordings, workspaceName()));
    await workspace.fs.createDirectory(folder);
    if (env.remoteName === undefined && env.appHost === "desktop") {
      await commands.executeCommand("revealFileInOS", folder);
    } else {
      await commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
    }
  }

  /** Delete recordings of this workspace after a question: those of this window, unless the person chooses others. One that goes on pauses. */
  async deleteTape(): Promise<void> {
    await this.#restarted; // a server that recorded until now has ended then, and its tape is there
    const tapes = this.#deletable();
    if (tapes.length === 0) {
      await window.showInformationMessage(NONE);
      return;
    }
    const chosen = tapes.length === 1 ? tapes : await this.#chosen(tapes, "Delete");
    const sessions = [...new Set(chosen.map(({ session }) => session))];
    if (sessions.length > 0 && (await this.#confirms(sessions))) {
      await this.#delete(sessions);
    }
  }

  /** Replay tapes of this workspace in a terminal, as `run` says: those of this window, unless the person chooses others. */
  async replay(run: (tapes: readonly string[]) => Promise<ProcessExecution>): Promise<void> {
    const tapes = tapesOf(workspaceFolder(this.#recordings, workspaceName()));
    if (tapes.length === 0) {
      await window.showInformationMessage(NONE);
      return;
    }
    const chosen = tapes.length === 1 ? tapes : await this.#chosen(tapes, "Replay");
    if (chosen.length > 0) {
      const task = new Task({ type: "ghosttape" }, TaskScope.Workspace, "Replay this recording", "ghosttape", await run(chosen.map(({ path }) => path)));
      await tasks.executeTask(task);
    }
  }

  /** The tapes of this workspace, and the one that is begun: it may not be written yet. */
  #deletable(): readonly TapeFile[] {
    const written = tapesOf(workspaceFolder(this.#recordings, workspaceName()));
    const session = this.#current();
    const isWritten = session === undefined || written.some((tape) => tape.session === session);
    return isWritten ? written : [{ path: session, session, at: new Date(), size: 0 }, ...written];
  }

  /** The session that is recorded now. */
  #current(): string | undefined {
    return this.state === "on" ? this.#sessions.at(-1) : undefined;
  }

  async #confirms(sessions: readonly string[]): Promise<boolean> {
    const pauses = sessions.some((session) => session === this.#current()) ? " The recording pauses." : "";
    const question = `Delete ${sessions.length === 1 ? "this recording" : `these ${String(sessions.length)} recordings`}?${pauses}`;
    return (await window.showWarningMessage(question, { modal: true, detail: sessions.join("\n") }, "Delete")) !== undefined;
  }

  async #delete(sessions: readonly string[]): Promise<void> {
    if (sessions.some((session) => session === this.#current())) {
      await this.pause();
      await this.#restarted; // the server that recorded has ended then, and writes nothing more
    }
    for (const folder of sessions) {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #chosen(tapes: readonly TapeFile[], what: "Delete" | "Replay"): Promise<readonly TapeFile[]> {
    const items = tapes.map((tape) => {
      const isOurs = this.#sessions.includes(tape.session);
      const size = `${String(Math.ceil(tape.size / 1024))} kB`;
      return { label: tape.at.toLocaleString(), description: isOurs ? `${size}, this window` : size, picked: isOurs, tape };
    });
    const title = `${what} which recordings of this workspace?`;
    const picked = await window.showQuickPick(items, { title, placeHolder: "A recording begins anew after each pause and restart of the server", canPickMany: true });
    return (picked ?? []).map(({ tape }) => tape);
  }

  async #choose(state: RecordingState): Promise<void> {
    await this.#choice.choose(state);
    this.#tellKeys();
    this.#restarted = this.#restart();
    await this.#restarted;
  }

  /** Keys that exist only for the recording ask for this. */
  #tellKeys(): void {
    void commands.executeCommand("setContext", "ghosttape.isRecording", this.state === "on");
  }

  /** Who said yes when less was recorded is asked once more. */
  async #askAgain(): Promise<void> {
    if (await this.#choice.forgetFormer()) {
      const words = "ghosttape records nothing here until you agree again: test runs in terminals would be recorded too.";
      if ((await window.showInformationMessage(words, "Ask Me")) !== undefined) {
        await this.start();
      }
    }
  }

  async #agrees(): Promise<boolean> {
    const answer = await window.showInformationMessage(
      "Record your editing sessions in this workspace?",
      { modal: true, detail: explanation(workspaceFolder(this.#recordings, workspaceName())) },
      "Record",
    );
    return answer === "Record";
  }
}

function explanation(folder: string): string {
  return (
    "What you type in files of the opened folders, when, what was suggested to you then, and the command, exit status and counts of test runs in terminals (whose output is read for that) are written to " +
    `${folder} on the machine where the files are. It is sent nowhere. ` +
    "Files that .gitignore or .ghosttapeignore leave out and files that hold keys are not recorded; " +
    "they are read only so that their values can be covered wherever they appear, and what looks like a credential is covered too. A red light in the status bar (REC) shows while it records; you can pause it, " +
    "stop it and delete what was recorded at any time."
  );
}

function canRecord(): boolean {
  return workspace.isTrusted && (workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === "file");
}

function workspaceName(): string {
  return (workspace.workspaceFile ?? workspace.workspaceFolders?.[0]?.uri ?? Uri.file("/")).toString();
}
