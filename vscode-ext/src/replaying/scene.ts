import { type MarkedText, withGhost } from "../results/texts";

/** What the server says an editor would show (`ghosttape/scene`). Offsets are UTF-16 code units, times virtual ms. */
export interface Scene {
  readonly tape: string;
  readonly path: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly t: number;
  readonly duration: number;
  readonly ghost: { readonly text: string; readonly start: number; readonly end: number; readonly state: string; readonly reason: string } | null;
}

/** A scene as text: ghost text stands in it and is marked; `replaced` is what it would take the place of, `note` how the moment goes. */
export interface ShownScene extends MarkedText {
  readonly replaced: number;
  readonly note: string;
  readonly looks: "offered" | "accepted" | "rejected";
}

export const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000] as const;

/** How a scene is shown. */
export function shownScene({ text, start, ghost }: Scene): ShownScene {
  if (ghost === null) {
    return { ...withGhost(text, start, ""), replaced: 0, note: "", looks: "offered" };
  }
  const { state, reason } = ghost;
  const note = state === "offered" ? "" : `${state}${reason === "" ? "" : ` (${reason})`}`;
  return { ...withGhost(text, ghost.end, ghost.text), replaced: ghost.end - ghost.start, note, looks: looksOf(state) };
}

/** Where a replay is: `ledger  1:02 of 41:07  ×5`. */
export function positionOf({ tape, t, duration }: Scene, speed: number, isPaused: boolean): string {
  return `${tape}  ${minutes(t)} of ${minutes(duration)}  ${isPaused ? "paused" : `×${String(speed)}`}`;
}

/** The next speed above (step 1) or below (step -1); the last one stays. */
export function nextSpeed(speed: number, step: 1 | -1): number {
  const others = SPEEDS.filter((each) => (each - speed) * step > 0);
  return (step > 0 ? others[0] : others.at(-1)) ?? speed;
}

function looksOf(state: string): ShownScene["looks"] {
  if (state === "accepted" || state === "part" || state === "typed-through") {
    return "accepted";
  }
  return state === "asked" || state === "offered" || state === "shown" ? "offered" : "rejected";
}

function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
}
