import { describe, expect, it } from "vitest";

import { causeOf } from "../../src/setup/errors";

describe("the words of an error", () => {
  it.each([
    ["/home/me/deep/a.tape.jsonl:12: the text differs", "the text differs (/home/me/deep/a.tape.jsonl:12)"],
    ["ghosttape.replay: /home/me/a.tape.jsonl: no such file", "no such file (/home/me/a.tape.jsonl)"],
    ["ghosttape.run.moments: C:\\runs\\last: is no run", "is no run (C:\\runs\\last)"],
    ["no tests were found: add [tests]", "no tests were found: add [tests]"],
    ["http://127.0.0.1:9/v1: refused", "http://127.0.0.1:9/v1: refused"],
  ])("%j puts the cause before the place", (said, words) => {
    expect(causeOf(new Error(said))).toBe(words);
  });

  it("are those of what is no error, too", () => {
    expect(causeOf("gone")).toBe("gone");
  });
});
