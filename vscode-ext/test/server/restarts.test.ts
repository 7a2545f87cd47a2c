import { describe, expect, it } from "vitest";

import { Restarts } from "../../src/server/restarts";

describe("a server that ends", () => {
  it("is started again at once after it ran well", () => {
    const restarts = new Restarts();
    for (const at of [0, 18_000, 36_000, 54_000]) {
      restarts.started(at);
      expect(restarts.ended(at + 17_000)).toEqual({ wait: 0, onEdit: false });
    }
  });

  it("waits longer and longer when it ends soon, 30 s at most, and after five for an edit too", () => {
    const restarts = new Restarts();
    const ends = Array.from({ length: 12 }, (_, at) => {
      restarts.started(at * 1000);
      return restarts.ended(at * 1000 + 500);
    });
    expect(ends.map(({ wait }) => wait)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000]);
    expect(ends.map(({ onEdit }) => onEdit)).toEqual([...Array<boolean>(5).fill(false), ...Array<boolean>(7).fill(true)]);
  });

  it("counts starts that fail like ends", () => {
    const restarts = new Restarts();
    expect([0, 1, 2].map((at) => restarts.ended(at).wait)).toEqual([100, 200, 400]);
  });

  it("begins anew when it ran well in between, or the person asked for it", () => {
    const restarts = new Restarts();
    restarts.ended(0);
    restarts.ended(0);
    restarts.started(0);
    expect(restarts.ended(10_000).wait).toBe(0);
    expect(restarts.ended(10_001).wait).toBe(100);
    restarts.forget();
    expect(restarts.ended(10_002).wait).toBe(100);
  });
});
