import { beforeEach, expect, it, vi } from "vitest";

type Table = Readonly<Record<string, boolean>>;
interface Scopes {
  readonly globalValue?: Table;
  readonly workspaceValue?: Table;
  readonly workspaceFolderValue?: Table;
}

const fake: { scopes: Scopes; matching: string[]; said: string[]; written: unknown[] } = vi.hoisted(() => ({
  scopes: {},
  matching: [] as string[],
  said: [] as string[],
  written: [] as unknown[],
}));

vi.mock("vscode", () => {
  const document = { languageId: "python", uri: "file:///shop/a.py" };
  return {
    ConfigurationTarget: { Global: "global", Workspace: "workspace", WorkspaceFolder: "folder" },
    RelativePattern: class {
      readonly pattern: string;
      constructor(_folder: unknown, pattern: string) {
        this.pattern = pattern;
      }
    },
    commands: {},
    languages: { match: ({ pattern }: { pattern: { pattern: string } }) => Number(fake.matching.includes(pattern.pattern)) },
    window: { activeTextEditor: { document }, showInformationMessage: (words: string) => Promise.resolve(void fake.said.push(words)) },
    workspace: {
      getWorkspaceFolder: () => ({}),
      /** As VS Code's: the value is all scopes merged, the nearer over the farther; only with a resource is its folder among them. */
      getConfiguration: (_section: string, resource?: unknown) => ({
        get: () => {
          const { globalValue, workspaceValue, workspaceFolderValue } = fake.scopes;
          return { "*": true, ...globalValue, ...workspaceValue, ...(resource === undefined ? {} : workspaceFolderValue) };
        },
        inspect: () => fake.scopes,
        update: (_name: string, value: unknown, target: string) => Promise.resolve(void fake.written.push({ value, target })),
      }),
    },
  };
});

const { toggleLanguage } = await import("../../src/typing/enabling");

beforeEach(() => {
  Object.assign(fake, { scopes: {}, matching: [], said: [], written: [] });
});

it.each([
  { scopes: {}, target: "global", value: { python: false } },
  { scopes: { globalValue: { ruby: false }, workspaceValue: { "*": false } }, target: "global", value: { ruby: false, python: true } },
  { scopes: { globalValue: { python: true }, workspaceValue: { python: false, ruby: true } }, target: "workspace", value: { python: true, ruby: true } },
  { scopes: { workspaceFolderValue: { python: false } }, target: "folder", value: { python: true } },
])("switches where the language is decided: $scopes", async ({ scopes, target, value }) => {
  fake.scopes = scopes;
  await toggleLanguage();
  expect(fake.written).toEqual([{ value, target }]);
  expect(fake.said).toEqual([`Completions are ${value.python ? "on" : "off"} for python.`]);
});

it("says which glob decides in the file, and writes nothing", async () => {
  Object.assign(fake, { scopes: { workspaceValue: { "**/a.py": false } }, matching: ["**/a.py"] });
  await toggleLanguage();
  expect(fake.written).toEqual([]);
  expect(fake.said).toEqual(['Completions stay off in this file, whatever its language is: "**/a.py" in the setting ghosttape.enable decides.']);
});
