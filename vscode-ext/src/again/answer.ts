import type { Provider } from "../providers/options";
import type { TrailStep } from "../results/records";
import { type MarkedText, type Place, repairSections, section, withoutGhost } from "../results/texts";

/** What the server is asked (`ghosttape.ask`): a place, whom, and the text where the document is none that it has open. */
export interface AskOrder {
  readonly textDocument: { readonly uri: string };
  readonly position: Place;
  readonly provider: Provider;
  readonly text?: string;
  readonly languageId?: string;
}

/** What the server says of an answer (`ghosttape.ask`, `ghosttape/explain`). `latency` is in ms. */
export interface Answer {
  readonly outcome: string;
  readonly repaired: string;
  readonly raw: string;
  readonly trail: readonly TrailStep[];
  readonly provider: string;
  readonly latency: number;
  readonly step?: string;
  readonly reason?: string;
  readonly tokens?: number;
  readonly range: { readonly start: Place; readonly end: Place };
}

/** A document in which is asked: `shown` is its text if only this window has it, with the ghost text that stands in it. */
export interface AskedDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly shown: MarkedText | undefined;
}

/** The order for a place of a document. Ghost text of a replay or of a moment is not part of the document that is asked about. */
export function orderAt({ uri, languageId, shown }: AskedDocument, place: Place, provider: Provider): AskOrder {
  const order = { textDocument: { uri }, provider };
  if (shown === undefined) {
    return { ...order, position: place };
  }
  const asked = withoutGhost(shown, place);
  return { ...order, position: asked.place, text: asked.text, languageId };
}

/** An answer in words: what would be offered, what the model wrote, and what each repair made of it. */
export function answerText(answer: Answer, path: string, position: Place, provider: string): string {
  const { start, end } = answer.range;
  const tokens = answer.tokens ? `, ${String(answer.tokens)} ${answer.tokens === 1 ? "token" : "tokens"}` : "";
  const replaced = end.character - start.character;
  return `${[
    `${path}:${String(position.line + 1)}:${String(position.character + 1)}  asked again: ${provider}`,
    `Answer after ${answer.latency.toFixed(0)} ms${tokens}`,
    outcomeText(answer),
    replaced > 0 ? `It takes the place of ${String(replaced)} ${replaced === 1 ? "character" : "characters"} behind the cursor.` : "",
    answer.outcome === "shown" ? section("What would be offered", answer.repaired) : "",
    answer.outcome === "empty" && answer.raw === "" ? "" : section("As the model wrote it", answer.raw),
    ...repairSections(answer.trail),
  ]
    .filter(Boolean)
    .join("\n\n")}\n`;
}

/** Why an answer is none, in words; undefined if it is one. */
export function failureText(answer: Answer, provider: string): string | undefined {
  return answer.outcome === "failed" ? `${provider} gave no answer: ${answer.reason ?? "no reason is known"}` : undefined;
}

function outcomeText({ outcome, step, repaired, raw }: Answer): string {
  switch (outcome) {
    case "shown":
      return repaired === raw ? "No repair changed it." : "";
    case "empty":
      return "Nothing would be offered: the answer is empty.";
    case "filtered":
      return `Nothing would be offered: the repair ${step ?? ""} leaves nothing of it.`;
    default:
      return `Nothing would be offered: ${outcome}.`;
  }
}
