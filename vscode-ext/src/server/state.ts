/** What the server does, as the person is shown it. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly command: string; readonly version: string }
  /** It ended; it is started again in `wait` ms, or at the next edit. */
  | { readonly kind: "ended"; readonly wait: number; readonly onEdit: boolean }
  /** It cannot be started before the person does something. */
  | { readonly kind: "failed"; readonly reason: string };
