import { expect, it, vi } from "vitest";

const fake: { editor: unknown } = vi.hoisted(() => ({ editor: undefined }));

vi.mock("vscode", () => {
  const nothing = (): object => ({ dispose: () => undefined });
  return {
    CancellationTokenSource: class {
      readonly token = { isCancellationRequested: false, onCancellationRequested: nothing };
      cancel(): void {
        // nobody listens
      }
      dispose(): void {
        // it holds nothing
      }
    },
    InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
    languages: { match: () => 10 },
    window: {
      get activeTextEditor() {
        return fake.editor;
      },
      onDidChangeTextEditorSelection: nothing,
    },
    workspace: { onDidChangeTextDocument: nothing, onDidCloseTextDocument: nothing },
  };
});
vi.mock("../../src/typing/enabling", () => ({ isEnabledIn: () => true }));

const { Asking } = await import("../../src/typing/asking");
const { policyOf } = await import("../../src/typing/policies/policy");

const document = { uri: "file:///a.py", version: 7, offsetAt: ({ character }: { character: number }) => character, getText: () => "" };
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

it.each([
  { what: "where they were wanted", version: 7, character: 3, more: 1 },
  { what: "behind a change", version: 8, character: 3, more: 0 },
  { what: "at another place", version: 7, character: 4, more: 0 },
])("asks for several completions by hand $what: $more", async ({ version, character, more }) => {
  const alternatives = vi.fn(() => Promise.resolve([]));
  const server = { alternatives, shown: () => undefined, origin: () => Promise.resolve("none" as const) };
  const asking = new Asking(policyOf("vscode"), () => undefined, server, () => undefined);
  fake.editor = { document, selection: { isEmpty: true, active: { character: 3 } } };
  asking.wantMore(1);
  const asked = { ...document, version };
  for (let time = 0; time < 2; time++) {
    await asking.provide(asked as never, { character } as never, { triggerKind: 0 } as never, token, (() => Promise.resolve([])));
  }
  expect(alternatives).toHaveBeenCalledTimes(more);
  asking.dispose();
});
