import { expect, it, vi } from "vitest";

import { REPAIRS } from "../../src/providers/options";

interface Item {
  readonly label: string;
  readonly picked?: boolean;
}

const fake = vi.hoisted(() => ({ current: null as readonly string[] | null, way: "", some: [] as string[], written: [] as unknown[] }));

vi.mock("vscode", () => ({
  ConfigurationTarget: {},
  window: {
    showQuickPick: (items: Item[], { canPickMany = false }: { canPickMany?: boolean }) =>
      Promise.resolve(canPickMany ? items.filter(({ label }) => fake.some.includes(label)) : items.find(({ label }) => label === fake.way)),
  },
  workspace: {
    getConfiguration: () => ({
      get: () => fake.current,
      inspect: () => ({}),
      update: (_name: string, value: unknown) => Promise.resolve(void fake.written.push(value)),
    }),
  },
}));
vi.mock("../../src/typing/policies/configured", () => ({ ownPolicies: () => ({}) }));

const { pickRepairs } = await import("../../src/providers/choosing");

it.each([
  { way: "All", some: [], written: [REPAIRS] },
  { way: "None", some: [], written: [[]] },
  { way: "Some…", some: [...REPAIRS], written: [REPAIRS] },
  { way: "Some…", some: ["prose", "stop"], written: [["prose", "stop"]] },
  { way: "As ghosttape.toml says", some: [], written: [null] },
  { way: "Escape", some: [], written: [] },
])("Choose Repairs writes what was chosen: $way $some", async ({ way, some, written }) => {
  Object.assign(fake, { way, some, written: [] });
  await pickRepairs();
  expect(fake.written).toEqual(written);
});
