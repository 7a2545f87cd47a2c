import type { RecordingState } from "../recording/consent";
import type { ServerState } from "../server/state";

/** All that the status bar shows. */
export interface Status {
  readonly server: ServerState;
  /** The model or the provider; empty while nobody knows. */
  readonly model: string;
  /** The last answer's time in ms; undefined before the first. */
  readonly latency?: number | undefined;
  /** Why the last request failed, in the server's words; undefined if it did not. */
  readonly problem?: string | undefined;
  readonly recording: RecordingState;
  /** Minutes of snooze that are left; `Infinity` until it is ended; 0 for none. */
  readonly snooze: number;
}

/** What the status bar's item looks like. */
export interface StatusItem {
  readonly text: string;
  readonly tooltip: string;
  readonly severity: "none" | "warning" | "error";
  /** What the red light beside it says; empty: it is not there. */
  readonly light: string;
}

const LIGHTS: Readonly<Record<RecordingState, string>> = { on: "$(record) REC", paused: "$(debug-pause) REC", off: "" };
const RECORDING: Readonly<Record<RecordingState, string>> = {
  on: "This workspace is recorded.",
  paused: "The recording of this workspace is paused.",
  off: "Nothing is recorded.",
};

/** Put a status into the words of the status bar. */
export function describe(status: Status): StatusItem {
  const { text, tooltip, severity } = describeServer(status);
  const light = LIGHTS[status.recording];
  const lines = [tooltip, RECORDING[status.recording], "Click for the menu."];
  return { text, tooltip: lines.join("\n"), severity, light };
}

type Words = Omit<StatusItem, "light">;

function describeServer(status: Status): Words {
  const { server } = status;
  switch (server.kind) {
    case "starting":
      return { text: "$(loading~spin) ghosttape", tooltip: "The server starts.", severity: "none" };
    case "ended":
      return { text: "$(debug-restart) ghosttape: server ended", tooltip: whenAgain(server), severity: "warning" };
    case "failed":
      return { text: "$(error) ghosttape: not started", tooltip: server.reason, severity: "error" };
    case "running":
      return describeModel(status, `${server.command} ${server.version}`);
  }
}

function describeModel({ model, latency, problem, snooze }: Status, server: string): Words {
  if (snooze > 0) {
    const left = Number.isFinite(snooze) ? `for ${String(Math.ceil(snooze))} min` : "until you wake it";
    return { text: "$(bell-slash) ghosttape", tooltip: `Completions are snoozed ${left}.`, severity: "none" };
  }
  if (problem !== undefined) {
    return { text: `$(warning) ${model || "ghosttape"}: ${inWords(problem)}`, tooltip: problem, severity: "warning" };
  }
  const time = latency === undefined ? "" : ` ${String(Math.round(latency))} ms`;
  const last = latency === undefined ? "Nothing was asked yet." : `The last answer took${time}.`;
  return { text: `$(sparkle) ${model || "ghosttape"}${time}`, tooltip: `${server}\n${last}`, severity: "none" };
}

function whenAgain({ wait, onEdit }: { readonly wait: number; readonly onEdit: boolean }): string {
  const when = onEdit ? "at your next edit" : wait < 1000 ? "at once" : `in ${String(Math.round(wait / 1000))} s`;
  return `The server has ended. It is started again ${when}.`;
}

/** The kinds of failure that a person can tell apart, by words of the server's reason. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(401|403)\b|not signed in|\bAPI key\b|_API_KEY/i, "key is missing or wrong"],
  [/\b404\b|no such model|not found/i, "no such model"],
  [/\b429\b|rate limit/i, "too many requests"],
  [/refused|connect|unreachable|resolve|no route/i, "model server is not there"],
  [/time[d -]*out|took longer|within \d|no answer/i, "model server does not answer"],
];

/** A failure in a few words for the status bar; the whole reason stands in its tooltip. */
export function inWords(reason: string): string {
  return PROBLEMS.find(([pattern]) => pattern.test(reason))?.[1] ?? "request failed";
}
