import type { InlineCompletionItem } from "vscode";

import { insertedText } from "../typing/answers";
import type { GhostClient } from "./client";

/** The notification of GitHub Copilot's language server, with the document that shows the item. */
const DID_SHOW = "textDocument/didShowCompletion";

/**
 * Tell the server what a version of a document shows: last what is on the screen, before it what can be chosen in its place.
 *
 * A server that ends meanwhile misses nothing: with it ends what it shows.
 */
export function tellShown(client: GhostClient | undefined, uri: string, version: number, items: readonly InlineCompletionItem[]): void {
  for (const item of items) {
    const range = item.range && client?.code2ProtocolConverter.asRange(item.range);
    const shown = { insertText: insertedText(item), range, command: item.command };
    client?.sendNotification(DID_SHOW, { item: shown, textDocument: { uri, version } }).catch(() => undefined);
  }
}
