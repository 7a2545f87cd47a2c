import { type InlineCompletionItem, workspace } from "vscode";
import { InlineCompletionRequest, ResponseError } from "vscode-languageclient/node";

import type { Place } from "../typing/asking";
import type { Cache } from "../typing/flights";
import type { GhostClient } from "./client";

/** Further completions at a place: the samples 1, 2, … of the same question, as many as the setting says. */
export async function furtherItems(
  client: GhostClient | undefined,
  ...[document, position, context, token]: Place
): Promise<InlineCompletionItem[]> {
  const count = workspace.getConfiguration("ghosttape").get("alternatives", 3) - 1;
  if (client === undefined || count <= 0) {
    return [];
  }
  const params = client.code2ProtocolConverter.asInlineCompletionParams(document, position, context);
  const ask = async (sample: number): Promise<InlineCompletionItem[]> => {
    const answer = await client.sendRequest(InlineCompletionRequest.type, { ...params, sample } as typeof params, token);
    const items = await client.protocol2CodeConverter.asInlineCompletionResult(answer, token);
    return Array.isArray(items) ? items : (items?.items ?? []);
  };
  const answers = await Promise.allSettled(Array.from({ length: count }, (_, at) => ask(at + 1)));
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** Where the server had its last answer at a place from; `none` also where it does not say. */
export async function originOf(client: GhostClient | undefined, ...[document, position, , token]: Place): Promise<Cache> {
  const where = client?.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
  try {
    const said = await client?.sendRequest<{ readonly cache?: Cache } | null>("ghosttape/explain", where, token);
    return said?.cache ?? "none";
  } catch (error) {
    if (error instanceof ResponseError) {
      return "none"; // cancelled, or a server that cannot say
    }
    throw error;
  }
}
