import { ProgressLocation, window } from "vscode";

import type { Farewell } from "../server/client";

/** How long the end of a tape may take (ms): a little longer than the server itself waits for it (`_GOODBYE_S` of `replay/recording/session.py`). */
const PATIENCE = 70_000;
/** What takes no longer than this (ms) needs no words. */
const SOON = 1000;
const TITLE = "ghosttape finishes the tape: it reads the last excluded files, whose values must not be on it";
const CUT_OFF =
  "The server did not finish the tape in time and was ended. The end of the tape is missing: what was typed is written only when all excluded files have been read.";

/** How a server ends that records: it has the time to finish its tape, and the person sees that. */
export const finishing: Farewell = {
  patience: PATIENCE,
  follow: (ending) => {
    const timer = setTimeout(() => {
      void window.withProgress({ location: ProgressLocation.Notification, title: TITLE }, () => ending.catch(() => undefined));
    }, SOON);
    ending.catch(() => void window.showWarningMessage(CUT_OFF)).finally(() => {
      clearTimeout(timer);
    });
  },
};
