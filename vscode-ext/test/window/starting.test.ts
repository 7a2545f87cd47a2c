import { expect, it, vi } from "vitest";

vi.mock("vscode", () => ({ workspace: { isTrusted: true, workspaceFolders: [], getConfiguration: () => ({ get: () => null }) } }));
vi.mock("../../src/providers/choosing", () => ({ configuredProvider: () => ({ provider: { name: "openai" } }) }));
vi.mock("../../src/server/others", () => ({ refuseOthers: undefined }));
vi.mock("../../src/setup/location", () => ({ locate: () => "/bin/gt" }));
vi.mock("../../src/setup/surroundings", () => ({ currentSurroundings: () => Promise.resolve({}) }));
vi.mock("../../src/server/client", () => ({
  clientOptions: (_log: unknown, initializationOptions: unknown) => ({ initializationOptions }),
  GhostClient: class {
    readonly options: unknown;
    constructor(_start: unknown, options: unknown) {
      this.options = options;
    }
    onNotification(): void {
      // nobody sends any
    }
  },
}));

const { Starting } = await import("../../src/window/starting");

it("does not record when the recording is paused while keys are looked up for the start", async () => {
  let state = "on";
  let found: (keys: object) => void = () => undefined;
  const followed: boolean[] = [];
  const host = {
    log: { info: () => undefined },
    keys: { variables: () => new Promise((resolve) => { found = resolve; }) },
    recording: { nextSession: () => (state === "on" ? "/tapes/1" : undefined) },
    hints: { follow: (isRecording: boolean) => void followed.push(isRecording) },
    showModel: () => undefined,
  };
  const starting = new Starting(host as never, {} as never);
  const begun = starting.prepare({} as never);
  await new Promise(setImmediate);
  state = "paused";
  found({});
  const { client } = await begun;
  expect(client).toMatchObject({ options: { initializationOptions: { provider: { name: "openai" } } } });
  expect(client).not.toHaveProperty("options.initializationOptions.record");
  expect(followed).toEqual([false]);
});
