import { EventEmitter, type TextDocumentContentProvider, Uri } from "vscode";

import type { MarkedText } from "./texts";

export const SCHEME = "ghosttape-replay";

/** Documents that only this window has: they can be read and searched, and not changed. */
export class VirtualDocuments implements TextDocumentContentProvider {
  readonly #texts = new Map<string, MarkedText>();
  readonly #changed = new EventEmitter<Uri>();
  readonly onDidChange = this.#changed.event;

  /** Keep a text under a group (a moment, a replay) and the path that its tab shows; `ghost` is the part of it that only stands in it to be seen. */
  put(group: string, path: string, text: string, ghost: Omit<MarkedText, "text"> = { start: 0, end: 0 }): Uri {
    const uri = Uri.from({ scheme: SCHEME, path: `/${path}`, query: group });
    const before = this.#texts.get(uri.toString())?.text;
    this.#texts.set(uri.toString(), { text, start: ghost.start, end: ghost.end });
    if (before !== undefined && before !== text) {
      this.#changed.fire(uri);
    }
    return uri;
  }

  /** A text with its ghost text marked; undefined if this window does not have it. */
  of(uri: Uri): MarkedText | undefined {
    return this.#texts.get(uri.toString());
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.of(uri)?.text ?? "This document is gone: open it again.";
  }

  /** Let go of a document that is shown no more. */
  forget(uri: Uri): void {
    this.#texts.delete(uri.toString());
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
