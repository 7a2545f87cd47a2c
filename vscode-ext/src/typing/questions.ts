import { Pacer, type Situation } from "./pacing";
import type { Policy } from "./policy";
import { type Cancellation, Cancelling, pause } from "./waiting";

/** The editor wants a completion. */
export interface Question<T> {
  /** The document, its version, and where in it (UTF-16 offset). */
  readonly key: string;
  readonly version: number;
  readonly offset: number;
  /** The person asked by hand. */
  readonly invoked: boolean;
  /** Text is selected in the editor. */
  readonly selection: boolean;
  readonly token: Cancellation;
  /** Ask the server; what is given cancels the request. */
  send(cancellation: Cancellation): Promise<T | undefined>;
  /** The length of what an answer offers, in UTF-16 code units. */
  length(answer: T): number;
}

/** The last change of a document, and what was asked about it. */
interface LastChange {
  readonly version: number;
  readonly gate: string;
  readonly wanted: number;
  offset?: number;
  answer?: Promise<unknown>;
}

/** What a window's questions tell of. */
export interface QuestionListener {
  /** A request was answered after so many ms; `length` is that of what was offered, 0 for nothing. */
  answered(latency: number, length: number): void;
}

/**
 * Decides which of the editor's questions become requests, and when, by a policy: one request for each change at most, as in a
 * replay with this policy. The editor asks late (VS Code after 50 ms) and repeatedly; waits count from the change.
 */
export class Questions {
  readonly #pacer: Pacer;
  readonly #policy: Policy;
  readonly #now: () => number;
  readonly #listener: QuestionListener;
  readonly #changes = new Map<string, LastChange>();
  readonly #underWay: Cancelling[] = [];

  constructor(policy: Policy, listener: QuestionListener, now: () => number) {
    this.#policy = policy;
    this.#pacer = new Pacer(policy);
    this.#listener = listener;
    this.#now = now;
  }

  /** A document has changed. */
  changed(key: string, version: number, situation: Situation): void {
    const gate = this.#pacer.gate(situation);
    const wait = gate === "" ? this.#pacer.delay(situation, situation.reason === "accept") : 0;
    this.#changes.set(key, { version, gate, wanted: situation.now + wait });
  }

  /** A document was closed. */
  closed(key: string): void {
    this.#changes.delete(key);
  }

  /** The person accepted a text, or rejected what was shown (an empty text). */
  decided(accepted: string): void {
    this.#pacer.decided(this.#now(), accepted);
  }

  /** Ask the server, now or later, or give undefined if the policy does not ask. */
  async ask<T>(question: Question<T>): Promise<T | undefined> {
    if (question.invoked) {
      return this.#sent(question);
    }
    const change = this.#changes.get(question.key);
    if (change === undefined || !isAbout(question, change)) {
      return undefined;
    }
    change.offset = question.offset;
    return (change.answer as Promise<T | undefined> | undefined) ?? this.#asked(question, change);
  }

  async #asked<T>(question: Question<T>, change: LastChange): Promise<T | undefined> {
    const { token } = question;
    await this.#wait(change, token);
    if (token.isCancellationRequested) {
      return undefined;
    }
    if (change.answer === undefined) {
      const forgetting = token.onCancellationRequested(() => delete change.answer); // asked again: a request of its own
      change.answer = this.#sent(question).finally(() => {
        forgetting.dispose();
      });
    }
    return change.answer as Promise<T | undefined>;
  }

  async #wait(change: LastChange, token: Cancellation): Promise<void> {
    let left = this.#pacer.due(change.wanted) - this.#now();
    while (left > 0 && !token.isCancellationRequested) {
      await pause(left, token);
      left = this.#pacer.due(change.wanted) - this.#now();
    }
  }

  async #sent<T>(question: Question<T>): Promise<T | undefined> {
    const began = this.#now();
    const isKept = this.#pacer.asked(began);
    const request = this.#request(question.token, isKept);
    try {
      const answer = await question.send(request);
      return await this.#shown(question, answer, began);
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(request), 1);
    }
  }

  /** What cancels a request: the editor's own cancellation, where the policy cancels; and a newer one, where too many are under way. */
  #request(token: Cancellation, isKept: boolean): Cancelling {
    const { cancels, lets_finish, pending } = this.#policy;
    if (pending > 0 && this.#underWay.length >= pending) {
      this.#underWay.at(-1)?.cancel();
    }
    const request = new Cancelling();
    this.#underWay.push(request);
    if (cancels && !lets_finish && !isKept) {
      token.onCancellationRequested(() => {
        request.cancel();
      });
    }
    return request;
  }

  async #shown<T>(question: Question<T>, answer: T | undefined, began: number): Promise<T | undefined> {
    const latency = this.#now() - began;
    this.#pacer.answered(latency);
    const length = answer === undefined ? 0 : question.length(answer);
    if (isCancelled(question.token)) {
      return undefined;
    }
    this.#listener.answered(latency, length);
    if (length === 0 || length < this.#policy.min_suggestion) {
      return undefined;
    }
    await pause(question.invoked ? 0 : this.#pacer.held(began, latency) - latency, question.token);
    return isCancelled(question.token) ? undefined : answer;
  }
}

/** What stands in the token now: it changes while one waits. */
function isCancelled(token: Cancellation): boolean {
  return token.isCancellationRequested;
}

/** Say whether a question is about the last change: not about an older text, and not about another place that the cursor went to. */
function isAbout(question: Question<unknown>, { version, gate, offset }: LastChange): boolean {
  const isHere = offset === undefined || offset === question.offset;
  return version === question.version && gate === "" && isHere && !question.selection;
}
