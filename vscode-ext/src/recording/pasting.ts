import { Disposable, languages, type TextDocument } from "vscode";

import { DOCUMENTS } from "../typing/languages";

/** The part of VS Code's paste providers that is used here: they are newer (1.97) than the oldest VS Code that is supported. */
interface PasteApi {
  readonly registerDocumentPasteEditProvider?: (
    selector: typeof DOCUMENTS,
    provider: PasteProvider,
    metadata: { readonly providedPasteEditKinds: readonly []; readonly pasteMimeTypes: readonly string[] },
  ) => Disposable;
}

interface PasteProvider {
  readonly provideDocumentPasteEdits: (document: TextDocument, ranges: unknown, data: PastedData) => Promise<undefined>;
}

interface PastedData {
  get(type: string): { asString(): Thenable<string> } | undefined;
}

const PLAIN = "text/plain";

/** Call `pasting` before a text is pasted into a document, where the editor tells it. What is pasted stays as it is. */
export function onPaste(pasting: (document: TextDocument, text: string) => void): Disposable {
  const { registerDocumentPasteEditProvider: register } = languages as PasteApi;
  if (register === undefined) {
    return new Disposable(() => undefined);
  }
  const provideDocumentPasteEdits = async (document: TextDocument, _: unknown, data: PastedData): Promise<undefined> => {
    const text = await data.get(PLAIN)?.asString();
    if (text !== undefined && text !== "") {
      pasting(document, text);
    }
    return undefined;
  };
  return register(DOCUMENTS, { provideDocumentPasteEdits }, { providedPasteEditKinds: [], pasteMimeTypes: [PLAIN] });
}
