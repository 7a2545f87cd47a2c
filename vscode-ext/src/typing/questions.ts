import { type Answer, Flight, usable } from "./flights";
import type { TextChange } from "./offer";
import { Pacer, type Situation } from "./policies/pacing";
import type { Policy } from "./policies/tables";
import { Shown } from "./shown";
import { type Cancellation, Cancelling, pause } from "./waiting";

/** A formatter's changes are no moments under any policy: no person writes there. */
const NO_PERSON = "format";

/** The editor wants a completion; `T` is what it is given. */
export interface Question<T> {
  /** The document, its version, and where in it (UTF-16 offset). */
  readonly key: string;
  readonly version: number;
  readonly offset: number;
  /** The person asked by hand. */
  readonly invoked: boolean;
  /** How long the editor has waited since the change before it asked, at the least, in ms. */
  readonly waited: number;
  /** Text is selected in the editor. */
  readonly selection: boolean;
  /** What the editor shows of what it is given: last what is on the screen, before it what can be chosen in its place. */
  visible(items: T): T;
  readonly token: Cancellation;
  /** Ask the server; what is given cancels the request. Gives undefined if the server ended before it answered. */
  send(cancellation: Cancellation): Promise<Answer<T> | undefined>;
}

/** The last change of a document, or the move of its cursor since, and what was asked about it. */
interface LastChange<T> {
  readonly version: number;
  readonly gate: string;
  readonly at: number;
  wanted: number;
  /** The next change or move has come. */
  readonly over: Cancelling;
  /** The editor has told where the change left the cursor. */
  isPlaced: boolean;
  offset: number | undefined;
  answer: Promise<Answer<T> | undefined> | undefined;
  /** What the editor is given without a request, and who waits for that. */
  ready: Answer<T> | undefined;
  readonly waiting: Set<(answer: Answer<T>) => void>;
}

interface Request {
  readonly flight: Flight;
  readonly cancelling: Cancelling;
}

/** What a window's questions tell of. */
export interface QuestionListener<T> {
  /** A request was answered after so many ms; `length` is that of what was offered, 0 for nothing. */
  answered(latency: number, length: number): void;
  /** The editor shows something in a document. */
  shown(key: string, version: number, items: T): void;
  /** There is something to show in a document that the editor has not asked for: it must ask again. */
  again(key: string): void;
}

/** By how much the editor may tell of a change too late, in ms: a question that shows more was not asked about the change alone. */
const LATEST = 30;

/** How long after a change a move of the cursor belongs to it, in ms. */
const OF_THE_CHANGE = 100;

/**
 * Decides which of the editor's questions become requests, and when, by a policy: one request for each change at most, as in a
 * replay with this policy. The editor asks late (VS Code after 50 ms) and repeatedly; waits count from the change.
 */
export class Questions<T> {
  readonly #pacer: Pacer;
  readonly #policy: Policy;
  readonly #now: () => number;
  readonly #listener: QuestionListener<T>;
  readonly #shown: Shown<T>;
  readonly #changes = new Map<string, LastChange<T>>();
  #underWay: Request[] = [];

  constructor(policy: Policy, listener: QuestionListener<T>, now: () => number) {
    this.#policy = policy;
    this.#pacer = new Pacer(policy);
    this.#listener = listener;
    this.#now = now;
    this.#shown = new Shown(policy, now, (accepted) => {
      this.#pacer.decided(now(), accepted);
    });
  }

  /** Take in changes that were made in one go: the text of the shown suggestion that they accept, if they do. Call `changed` next. */
  passOver(key: string, changes: readonly TextChange[]): string {
    for (const { flight } of this.#underWay) {
      flight.passOver(key, changes);
    }
    return this.#shown.changed(key, changes);
  }

  /** A document has changed. */
  changed(key: string, version: number, situation: Situation): void {
    const gate = situation.reason === NO_PERSON ? NO_PERSON : this.#pacer.gate(situation);
    const ready = gate === "" && this.#policy.extends ? this.#shown.in(key) : undefined;
    const wait = gate === "" && ready === undefined ? this.#pacer.delay(situation, situation.reason === "accept") : 0;
    this.#begin(key, { version, gate, at: situation.now, wanted: situation.now + wait, ready });
  }

  /**
   * The cursor has moved to an offset: in how many ms the policy asks there; undefined if it does not.
   *
   * The editor tells of the cursor after each change too; that is no move.
   */
  moved(key: string, version: number, situation: Situation): number | undefined {
    const last = this.#changes.get(key);
    if (last !== undefined && !last.isPlaced && last.version === version && situation.now - last.at < OF_THE_CHANGE) {
      last.isPlaced = true;
      return undefined;
    }
    this.#leave(key, situation.before);
    if (!this.#policy.moves || this.#pacer.gate(situation) !== "") {
      return undefined;
    }
    const wanted = situation.now + this.#pacer.delay(situation);
    this.#begin(key, { version, gate: "", at: situation.now, wanted, offset: situation.before });
    return this.#pacer.due(wanted) - this.#now();
  }

  /** The person left a document. */
  left(key: string): void {
    this.#leave(key, undefined);
  }

  /** A document was closed. */
  closed(key: string): void {
    this.left(key);
    this.#changes.get(key)?.over.cancel();
    this.#changes.delete(key);
  }

  /** The person rejected what a document shows. Says whether that is ours. */
  dismissed(key: string): boolean {
    const isOurs = this.#shown.in(key) !== undefined;
    if (isOurs) {
      this.#shown.dismissed();
    }
    return isOurs;
  }

  /** The server has ended: what it answered is nothing that another one knows. */
  forget(): void {
    this.#shown.left();
    for (const change of this.#changes.values()) {
      change.ready = undefined;
    }
  }

  /** Whether the policy asks about the last change of a document, and no server has answered that, nor is asked now. */
  isUnanswered(key: string): boolean {
    const change = this.#changes.get(key);
    return change?.gate === "" && change.ready === undefined && change.answer === undefined;
  }

  /** Ask the server, now or later, or give undefined if the policy does not ask. */
  async ask(question: Question<T>): Promise<T | undefined> {
    const answer = question.invoked ? await this.#sent(question) : await this.#automatic(question);
    if (answer === undefined || isCancelled(question.token)) {
      return undefined;
    }
    this.#shown.show(question.key, question.offset, answer);
    this.#listener.shown(question.key, question.version, question.visible(answer.items));
    return answer.items;
  }

  #begin(key: string, members: Pick<LastChange<T>, "version" | "gate" | "at" | "wanted"> & Partial<LastChange<T>>): void {
    this.#changes.get(key)?.over.cancel();
    const fresh = { over: new Cancelling(), isPlaced: false, offset: undefined, answer: undefined, ready: undefined };
    this.#changes.set(key, { ...fresh, waiting: new Set(), ...members });
  }

  #leave(key: string, offset: number | undefined): void {
    if (this.#shown.in(key) !== undefined) {
      this.#shown.left();
    }
    for (const { flight } of this.#underWay) {
      if (flight.key === key && flight.offset !== offset) {
        flight.strand();
      }
    }
  }

  async #automatic(question: Question<T>): Promise<Answer<T> | undefined> {
    const change = this.#changes.get(question.key);
    if (change === undefined || !isAbout(question, change)) {
      return undefined;
    }
    if (change.offset === undefined) {
      change.wanted -= this.#late(question, change);
    }
    change.offset = question.offset;
    if (change.ready !== undefined || change.gate !== "") {
      return change.ready;
    }
    return Promise.race([change.answer ?? this.#asked(question, change), delivered(question, change)]);
  }

  /**
   * By how much a change was told too late, in ms: the editor draws before it tells, and asks a fixed time after the change.
   *
   * A change that is told of at 20, and a question at 57 for which the editor waited 50, show that the text changed at 7: 13 ms.
   */
  #late({ waited }: Question<T>, { at }: LastChange<T>): number {
    const late = waited > 0 ? at - (this.#now() - waited) : 0;
    return late > 0 && late <= LATEST ? late : 0;
  }

  async #asked(question: Question<T>, change: LastChange<T>): Promise<Answer<T> | undefined> {
    const { token } = question;
    const end = this.#policy.follows ? change.over : token;
    await this.#wait(change, end);
    if (end.isCancellationRequested) {
      return undefined;
    }
    if (change.answer === undefined) {
      const forget = (): void => void (change.answer = undefined); // asked again: a request of its own
      const forgetting = end.onCancellationRequested(forget);
      change.answer = this.#sent(question, forget).finally(() => {
        forgetting.dispose();
      });
    }
    return change.answer;
  }

  async #wait(change: LastChange<T>, end: Cancellation): Promise<void> {
    let left = this.#pacer.due(change.wanted) - this.#now();
    while (left > 0 && !end.isCancellationRequested) {
      await pause(left, end);
      left = this.#pacer.due(change.wanted) - this.#now();
    }
  }

  /** Send a request; `lost` is called if the server ends before it answers. */
  async #sent(question: Question<T>, lost?: () => void): Promise<Answer<T> | undefined> {
    const began = this.#now();
    const request = this.#request(question, this.#pacer.asked(began));
    try {
      const answer = await question.send(request.cancelling);
      if (answer === undefined) {
        lost?.();
        return undefined;
      }
      return await this.#landed(question, request, answer, began);
    } finally {
      this.#underWay = this.#underWay.filter((other) => other !== request);
    }
  }

  /** What cancels a request: the editor's own cancellation, where the policy cancels; and a newer one, where too many are under way. */
  #request({ key, offset, token }: Question<T>, isKept: boolean): Request {
    const { cancels, lets_finish, pending } = this.#policy;
    if (pending > 0 && this.#underWay.length >= pending) {
      this.#underWay.pop()?.cancelling.cancel();
    }
    const request = { flight: new Flight(key, offset), cancelling: new Cancelling() };
    this.#underWay.push(request);
    if (cancels && !lets_finish && !isKept) {
      token.onCancellationRequested(() => {
        request.cancelling.cancel();
      });
    }
    return request;
  }

  /** An answer has come: what of it is shown to who asked. */
  async #landed(question: Question<T>, request: Request, answer: Answer<T>, began: number): Promise<Answer<T> | undefined> {
    const latency = this.#now() - began;
    if (answer.cache === "none" && !isCancelled(request.cancelling)) {
      this.#pacer.answered(latency);
    }
    this.#endOlder(request);
    const end = this.#policy.follows ? request.cancelling : question.token;
    if (isCancelled(end)) {
      return undefined;
    }
    this.#listener.answered(latency, answer.text.length);
    await pause(question.invoked ? 0 : this.#pacer.held(began, latency, answer.cache) - latency, end);
    return isCancelled(end) ? undefined : this.#toShow(question, request.flight, answer);
  }

  /** An answer makes the requests before its own needless, where the policy counts them. */
  #endOlder(request: Request): void {
    const at = this.#policy.pending > 0 ? this.#underWay.indexOf(request) : 0;
    for (const { cancelling } of this.#underWay.splice(0, Math.max(at, 0))) {
      cancelling.cancel();
    }
  }

  #toShow({ key, token }: Question<T>, flight: Flight, answer: Answer<T>): Answer<T> | undefined {
    const visible = this.#shown.in(key);
    const best = usable(flight, answer, this.#policy, visible);
    if (best === undefined || best === visible || !(flight.isStale || isCancelled(token))) {
      return best;
    }
    this.#deliver(key, best);
    return undefined;
  }

  /** Give an answer to an older text, or one that came after its question was done, to the question of now. */
  #deliver(key: string, answer: Answer<T>): void {
    const change = this.#changes.get(key);
    if (change === undefined) {
      return;
    }
    change.ready = answer;
    const waiting = [...change.waiting];
    for (const resolve of waiting) {
      resolve(answer);
    }
    if (waiting.length === 0) {
      this.#listener.again(key);
    }
  }
}

/** What is delivered to a change while the editor waits for it. */
async function delivered<T>({ token }: Question<T>, { waiting }: LastChange<T>): Promise<Answer<T>> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    token.onCancellationRequested(() => waiting.delete(resolve));
  });
}

/** What stands in the token now: it changes while one waits. */
function isCancelled(token: Cancellation): boolean {
  return token.isCancellationRequested;
}

/** Say whether a question is about the last change: not about an older text, and not about another place that the cursor went to. */
function isAbout<T>(question: Question<T>, { version, offset }: LastChange<T>): boolean {
  const isHere = offset === undefined || offset === question.offset;
  return version === question.version && isHere && !question.selection;
}
