import {
  CancellationTokenSource,
  type Disposable,
  type InlineCompletionItem,
  InlineCompletionTriggerKind,
  languages,
  RelativePattern,
  type TextDocument,
  type TextDocumentChangeEvent,
  window,
  workspace,
} from "vscode";
import type { Middleware } from "vscode-languageclient/node";

import { type EnablementTable, isEnabled } from "./enablement";
import { DOCUMENTS } from "./languages";
import { afterChange, type Offer } from "./offer";
import { type Policy, policyOf } from "./policy";
import { type QuestionListener, Questions } from "./questions";
import { onlyChange, situationOf } from "./situations";
import { Snooze } from "./snooze";
import type { Cancellation } from "./waiting";

type Ask = NonNullable<Middleware["provideInlineCompletionItems"]>;
type Next = Parameters<Ask>[4];
type Items = InlineCompletionItem[];

/** Where and how the editor asks: document, position, context, and what cancels it. */
export type Place = Parameters<Next>;

/** Asks for further, different completions at a place. */
export type Alternatives = (...place: Place) => Promise<Items>;

/** When this window's editors ask the server: by the policy, the setting `ghosttape.enable`, and unless it is snoozed. */
export class Asking implements Disposable {
  readonly snooze = new Snooze();
  readonly #listener: QuestionListener;
  readonly #alternatives: Alternatives;
  readonly #subscriptions: Disposable[];
  #questions: Questions;
  #offer: Offer | undefined;
  #wantsMore = false;

  constructor(policy: Policy, listener: QuestionListener, alternatives: Alternatives) {
    this.#listener = listener;
    this.#alternatives = alternatives;
    this.#questions = this.#made(policy);
    this.#subscriptions = [
      workspace.onDidChangeTextDocument((event) => {
        this.#changed(event);
      }),
      workspace.onDidCloseTextDocument((document) => {
        this.#questions.closed(document.uri.toString());
      }),
    ];
  }

  /** Follow another policy from now on. */
  follow(policy: Policy): void {
    this.#questions = this.#made(policy);
  }

  /** The next question by hand wants several completions to choose from. */
  wantMore(): void {
    this.#wantsMore = true;
  }

  /** The person pressed Escape: what is shown is rejected. */
  dismissed(): void {
    if (this.#offer !== undefined) {
      this.#offer = undefined;
      this.#questions.decided("");
    }
  }

  /** The middleware of a language client. */
  readonly provide: Ask = async (document, position, context, token, next) => {
    const invoked = context.triggerKind === InlineCompletionTriggerKind.Invoke;
    if (!isEnabledIn(document) || (!invoked && this.snooze.left(Date.now()) > 0)) {
      return undefined;
    }
    const offset = document.offsetAt(position);
    const send = (request: Cancellation): Promise<Items | undefined> =>
      cancellable(request, async (cancelled) => {
        const items = itemsOf(await next(document, position, context, cancelled));
        const more = invoked && this.#takesMore() ? await this.#alternatives(document, position, context, cancelled) : [];
        return distinct([...items, ...more]);
      });
    const key = document.uri.toString();
    const selection = window.activeTextEditor?.selection.isEmpty === false;
    const question = { key, version: document.version, offset, invoked, selection, token, send, length: offeredLength };
    const items = await this.#questions.ask(question);
    this.#offer = items === undefined ? this.#offer : { key, offset, text: textOf(items[0]) };
    return items;
  };

  dispose(): void {
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #made(policy: Policy): Questions {
    return new Questions(policy, this.#listener, () => performance.now());
  }

  #takesMore(): boolean {
    const wants = this.#wantsMore;
    this.#wantsMore = false;
    return wants;
  }

  #changed(event: TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0 || languages.match(DOCUMENTS, event.document) === 0) {
      return;
    }
    const accepted = this.#decided(event);
    const situation = situationOf(event, performance.now(), accepted);
    this.#questions.changed(situation.path, event.document.version, situation);
  }

  /** What a change says about the offer: the text that it accepts, if it does. */
  #decided(event: TextDocumentChangeEvent): string {
    const offer = this.#offer;
    if (offer?.key !== event.document.uri.toString()) {
      return "";
    }
    const change = onlyChange(event);
    const { accepted, rest } = change === undefined ? { accepted: "", rest: undefined } : afterChange(offer, change);
    this.#offer = rest;
    if (accepted !== "" || rest === undefined) {
      this.#questions.decided(accepted);
    }
    return accepted;
  }
}

/** The policy of the setting `ghosttape.policy`. @throws SetupError if there is none of this name. */
export function configuredPolicy(): Policy {
  return policyOf(workspace.getConfiguration("ghosttape").get("policy", "vscode"));
}

/** Say whether completions are offered in a document, by the setting `ghosttape.enable`. */
export function isEnabledIn(document: TextDocument): boolean {
  const table = workspace.getConfiguration("ghosttape", document).get<EnablementTable>("enable", {});
  const folder = workspace.getWorkspaceFolder(document.uri);
  return isEnabled(table, document.languageId, (glob) => {
    const pattern = folder === undefined || glob.startsWith("/") ? glob : new RelativePattern(folder, glob);
    return languages.match({ pattern }, document) > 0;
  });
}

/** Run with a token of VS Code's that is cancelled when `request` is. */
async function cancellable<T>(request: Cancellation, run: (token: CancellationTokenSource["token"]) => Promise<T>): Promise<T> {
  const source = new CancellationTokenSource();
  const subscription = request.onCancellationRequested(() => {
    source.cancel();
  });
  try {
    return await run(source.token);
  } finally {
    subscription.dispose();
    source.dispose();
  }
}

function itemsOf(result: Awaited<ReturnType<Next>>): Items {
  return result === null || result === undefined ? [] : Array.isArray(result) ? result : result.items;
}

function textOf(item: InlineCompletionItem | undefined): string {
  return item === undefined ? "" : typeof item.insertText === "string" ? item.insertText : item.insertText.value;
}

function offeredLength(items: Items): number {
  return textOf(items[0]).length;
}

function distinct(items: Items): Items {
  return [...new Map(items.map((item) => [textOf(item), item] as const).reverse()).values()].reverse();
}
