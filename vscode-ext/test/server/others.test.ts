import { expect, it } from "vitest";

import { refuseOthers } from "../../src/server/others";

const next = (command: string, args: unknown[]): unknown => [command, args];

it("refuses orders of others to the server, also with leave that nobody gave", async () => {
  await expect(refuseOthers("ghosttape.evaluateFile", [], next)).rejects.toThrow("ghosttape.evaluateFile is no command for others");
});

it("lets an accepted suggestion say so", () => {
  expect(refuseOthers("ghosttape.accepted", [1], next)).toEqual(["ghosttape.accepted", [1]]);
});
