import {
  CancellationTokenSource,
  commands,
  type Disposable,
  InlineCompletionTriggerKind,
  languages,
  type Position,
  type TextDocument,
  type TextDocumentChangeEvent,
  type TextEditor,
  window,
  workspace,
} from "vscode";
import type { Middleware } from "vscode-languageclient/node";

import type { ChangeReason } from "../recording/reasons";
import { ServerLost } from "../server/lost";
import { answerOf, insertedText, type Items } from "./answers";
import { isEnabledIn } from "./enabling";
import type { Answer, Cache } from "./flights";
import { DOCUMENTS } from "./languages";
import type { Policy } from "./policies/tables";
import { type QuestionListener, Questions } from "./questions";
import { changesOf, movedTo, situationOf } from "./situations";
import { Snooze } from "./snooze";
import { onScreen, type Turn } from "./visible";
import type { Cancellation } from "./waiting";

type Ask = NonNullable<Middleware["provideInlineCompletionItems"]>;
type Next = Parameters<Ask>[4];

/** How long VS Code waits after a change before it asks of itself, in ms (`InlineCompletionsDebounce`). */
const EDITOR_WAITS = 50;

/** Where and how the editor asks: document, position, context, and what cancels it. */
export type Place = Parameters<Next>;

/** What is on the screen: the address of a document, its version, and the completions. */
export type Shown = [uri: string, version: number, items: Items];

/** The place of a question, without what cancels it. */
interface Spot {
  readonly key: string;
  readonly version: number;
  readonly offset: number;
}

/** What the server is asked besides. */
export interface Server {
  /** Further, different completions at a place. */
  alternatives(...place: Place): Promise<Items>;
  /** These completions are on the screen, in a version of a document. */
  shown(...what: Shown): void;
  /** Where it had its last answer at a place from. */
  origin(...place: Place): Promise<Cache>;
}

/** Says why a document changed; undefined where nothing says it. */
export type ReasonOf = (event: TextDocumentChangeEvent) => ChangeReason | undefined;

/** When this window's editors ask the server: by the policy, the setting `ghosttape.enable`, and unless it is snoozed. */
export class Asking implements Disposable {
  readonly snooze = new Snooze();
  readonly #answered: QuestionListener<Items>["answered"];
  readonly #server: Server;
  readonly #reasonOf: ReasonOf;
  readonly #subscriptions: Disposable[];
  #policy: Policy;
  #questions: Questions<Items>;
  #wantsMore: (Spot & { readonly turn: Turn }) | undefined;
  #ours: Spot | undefined;
  #asksLater: ReturnType<typeof setTimeout> | undefined;

  /** `reasonOf` says why a document changed, as it is recorded: so that a replay of the recording decides alike. */
  constructor(policy: Policy, answered: QuestionListener<Items>["answered"], server: Server, reasonOf: ReasonOf) {
    this.#policy = policy;
    this.#answered = answered;
    this.#server = server;
    this.#reasonOf = reasonOf;
    this.#questions = this.#made();
    this.#subscriptions = [
      workspace.onDidChangeTextDocument((event) => {
        this.#changed(event);
      }),
      workspace.onDidCloseTextDocument((document) => {
        this.#questions.closed(keyOf(document));
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.#moved(textEditor);
      }),
    ];
  }

  /** Follow another policy from now on. */
  follow(policy: Policy): void {
    this.#policy = policy;
    this.#questions = this.#made();
  }

  /** A server has begun to run: it is asked for what was typed last, if no server has answered that. */
  serverRuns(): void {
    this.#questions.forget();
    const document = window.activeTextEditor?.document;
    if (document !== undefined && this.#questions.isUnanswered(keyOf(document))) {
      this.#again(keyOf(document));
    }
  }

  /** A question by hand at this place wants several completions, of which the next or previous one is shown; there may be none, if the editor has nothing to go on from. */
  wantMore(turn: Turn): void {
    const editor = window.activeTextEditor;
    this.#wantsMore = editor && { ...spotAt(editor.document, editor.selection.active), turn };
  }

  /** The person pressed Escape: what a document shows is rejected. Says whether it is ours. */
  dismissed(document: TextDocument): boolean {
    return this.#questions.dismissed(keyOf(document));
  }

  /** The middleware of a language client. */
  readonly provide: Ask = async (document, position, context, token, next) => {
    const spot = spotAt(document, position);
    const isInvoke = context.triggerKind === InlineCompletionTriggerKind.Invoke;
    const invoked = isInvoke && !this.#isOurs(spot);
    if (!isEnabledIn(document) || (!invoked && this.snooze.left(Date.now()) > 0)) {
      return undefined;
    }
    const turn = invoked ? this.#takesTurn(spot) : 0;
    const asked = invoked ? context : { ...context, triggerKind: InlineCompletionTriggerKind.Automatic };
    const send = (request: Cancellation): Promise<Answer<Items> | undefined> =>
      cancellable(request, (cancelled) => this.#send(turn !== 0, next, [document, position, asked, cancelled]));
    const selection = window.activeTextEditor?.selection.isEmpty === false;
    const waited = isInvoke ? 0 : EDITOR_WAITS;
    const visible = (items: Items): Items => onScreen(items, turn, document, context);
    return this.#questions.ask({ ...spot, invoked, waited, selection, token, visible, send });
  };

  dispose(): void {
    clearTimeout(this.#asksLater);
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  async #send(wantsMore: boolean, next: Next, place: Place): Promise<Answer<Items> | undefined> {
    const items = await answeredItems(next(...place));
    if (items === undefined) {
      return undefined;
    }
    const more = wantsMore ? await this.#server.alternatives(...place) : [];
    const cache = mindsOrigin(this.#policy) ? await this.#server.origin(...place) : "none";
    return answerOf(place[0], place[1], distinct([...items, ...more]), cache);
  }

  #made(): Questions<Items> {
    const again = (key: string): void => {
      this.#again(key);
    };
    const shown = (...what: Shown): void => {
      this.#server.shown(...what);
    };
    return new Questions(this.#policy, { answered: this.#answered, shown, again }, () => performance.now());
  }

  /** Whether a question by hand is one that `#again` has caused. */
  #isOurs(spot: Spot): boolean {
    const ours = this.#ours;
    this.#ours = undefined;
    return areOne(spot, ours);
  }

  /** Let the editor ask at its cursor, as it does not do by itself without a change. */
  #again(key: string): void {
    const editor = window.activeTextEditor;
    if (editor === undefined || keyOf(editor.document) !== key || !editor.selection.isEmpty) {
      return;
    }
    this.#ours = spotAt(editor.document, editor.selection.active);
    void commands.executeCommand("editor.action.inlineSuggest.trigger");
  }

  #takesTurn(spot: Spot): Turn | 0 {
    const wants = this.#wantsMore;
    this.#wantsMore = undefined;
    return wants !== undefined && areOne(spot, wants) ? wants.turn : 0;
  }

  #changed(event: TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0 || languages.match(DOCUMENTS, event.document) === 0) {
      return;
    }
    clearTimeout(this.#asksLater);
    const reason = this.#reasonOf(event);
    const accepted = this.#questions.passOver(keyOf(event.document), changesOf(event));
    const situation = situationOf(event, performance.now(), accepted === "" ? reason : "accept");
    this.#questions.changed(situation.path, event.document.version, situation);
  }

  /** Ask where the cursor has gone to, if the policy does. */
  #moved(editor: TextEditor): void {
    const { document, selection } = editor;
    if (editor !== window.activeTextEditor || languages.match(DOCUMENTS, document) === 0) {
      return;
    }
    const key = keyOf(document);
    if (!selection.isEmpty) {
      this.#questions.left(key);
      return;
    }
    const wait = this.#questions.moved(key, document.version, movedTo(editor, performance.now()));
    if (wait !== undefined) {
      clearTimeout(this.#asksLater);
      this.#asksLater = setTimeout(() => {
        this.#again(key);
      }, wait);
    }
  }
}

function spotAt(document: TextDocument, position: Position): Spot {
  return { key: keyOf(document), version: document.version, offset: document.offsetAt(position) };
}

function areOne(spot: Spot, other: Spot | undefined): boolean {
  return spot.key === other?.key && spot.version === other.version && spot.offset === other.offset;
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

/** What a server answers; undefined if it ends before. */
async function answeredItems(result: ReturnType<Next>): Promise<Items | undefined> {
  try {
    return itemsOf(await result);
  } catch (error) {
    if (error instanceof ServerLost) {
      return undefined;
    }
    throw error;
  }
}

function itemsOf(result: Awaited<ReturnType<Next>>): Items {
  return result === null || result === undefined ? [] : Array.isArray(result) ? result : result.items;
}

function distinct(items: Items): Items {
  return [...new Map(items.map((item) => [insertedText(item), item] as const).reverse()).values()].reverse();
}

/** Whether a policy waits otherwise for what the server had in its cache. */
function mindsOrigin({ hold, cached, backoff, adaptive }: Policy): boolean {
  return hold > 0 || cached > 0 || backoff !== null || adaptive !== null;
}

function keyOf(document: TextDocument): string {
  return document.uri.toString();
}
