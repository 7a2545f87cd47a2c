import { setImmediate } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { serial } from "../../src/server/serial";

describe("serial", () => {
  it("folds the calls made during a run into one more run, which never overlaps it", async () => {
    const events: string[] = [];
    const restart = serial(async () => {
      events.push("start");
      await setImmediate();
      events.push("end");
    });
    const first = restart();
    await vi.waitUntil(() => events.length > 0, { interval: 0 });
    await Promise.all([first, restart(), restart(), restart()]);
    expect(events).toEqual(["start", "end", "start", "end"]);
  });

  it("runs again after a run that failed, and tells the failure only to those who asked for that run", async () => {
    let runs = 0;
    const restart = serial(() => (++runs === 1 ? Promise.reject(new Error("no server")) : Promise.resolve()));
    await expect(restart()).rejects.toThrow("no server");
    await expect(restart()).resolves.toBeUndefined();
    expect(runs).toBe(2);
  });
});
