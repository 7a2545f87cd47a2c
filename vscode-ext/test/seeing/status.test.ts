import { describe as group, expect, it } from "vitest";

import { describe, inWords, type Status } from "../../src/seeing/status";

const running: Status = {
  server: { kind: "running", command: "/bin/ghosttape", version: "0.1.0" },
  model: "qwen",
  latency: 81.6,
  recording: "off",
  snooze: 0,
};

group("the status bar", () => {
  it("shows the model and the last latency", () => {
    expect(describe(running)).toMatchObject({ text: "$(sparkle) qwen 82 ms", severity: "none" });
    expect(describe(running).tooltip).toContain("/bin/ghosttape 0.1.0");
    expect(describe({ ...running, model: "", latency: undefined }).text).toBe("$(sparkle) ghosttape");
  });

  it("has a light while it records, in every state", () => {
    for (const server of [running.server, { kind: "starting" } as const, { kind: "failed", reason: "no" } as const]) {
      expect(describe({ ...running, server, recording: "on" }).light).toBe("$(record) REC");
      expect(describe({ ...running, server, recording: "paused" }).light).toBe("$(debug-pause) REC");
      expect(describe({ ...running, server }).light).toBe("");
    }
    expect(describe({ ...running, recording: "on" }).tooltip).toContain("This workspace is recorded.");
    expect(describe(running).tooltip).toContain("Nothing is recorded.");
  });

  it("says in words that the model server is dead, with the whole reason behind it", () => {
    const problem = "openai at http://127.0.0.1:9/v1: the connection was refused";
    const shown = describe({ ...running, problem });
    expect(shown).toMatchObject({ text: "$(warning) qwen: model server is not there", severity: "warning" });
    expect(shown.tooltip).toContain(problem);
  });

  it("says why the server is not started", () => {
    const shown = describe({ ...running, server: { kind: "failed", reason: "there is no ghosttape" } });
    expect(shown.severity).toBe("error");
    expect(shown.tooltip).toContain("there is no ghosttape");
  });

  it.each([
    [{ wait: 0, onEdit: false }, "at once"],
    [{ wait: 6400, onEdit: false }, "in 6 s"],
    [{ wait: 30000, onEdit: true }, "at your next edit"],
  ])("says when a server that ended is started again (%j)", (when, words) => {
    expect(describe({ ...running, server: { kind: "ended", ...when } }).tooltip).toContain(words);
  });

  it("says how long it sleeps", () => {
    expect(describe({ ...running, snooze: 4.2 }).tooltip).toContain("for 5 min");
    expect(describe({ ...running, snooze: Number.POSITIVE_INFINITY }).tooltip).toContain("until you wake it");
  });
});

group("a failure in words", () => {
  it.each([
    ["the server answered 401: invalid key", "key is missing or wrong"],
    ["404 at /v1/completions", "no such model"],
    ["429: slow down", "too many requests"],
    ["nothing within 30 s", "model server does not answer"],
    ["something else", "request failed"],
  ])("%s", (reason, words) => {
    expect(inWords(reason)).toBe(words);
  });
});
