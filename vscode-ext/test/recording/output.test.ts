import { describe, expect, it } from "vitest";

import { mayRunTests, tailOf } from "../../src/recording/output";

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) {
    yield await Promise.resolve(text);
  }
}

async function* broken(): AsyncGenerator<string> {
  yield* pieces("2 passed");
  throw new Error("the terminal was closed");
}

describe("the output of a command", () => {
  it("is all of a short one, and the end of a long one", async () => {
    expect(await tailOf(pieces("one\n", "two\n"))).toBe("one\ntwo\n");
    expect(await tailOf(pieces("abcdef", "ghi"), 4)).toBe("fghi");
  });

  it("is nothing where nothing is printed", async () => {
    expect(await tailOf(pieces())).toBe("");
  });

  it("is what came before the terminal was closed", async () => {
    expect(await tailOf(broken())).toBe("2 passed");
  });
});

describe("a command line", () => {
  it.each(["pytest -q", "cd sub && npm test", "source .venv/bin/activate; python -m pytest", "TOKEN=abc ./gradlew :app:test", "make test 2>&1 | tail -5"])(
    "may be a test run: %s",
    (line) => { expect(mayRunTests(line)).toBe(true); },
  );

  it.each(["printenv", "cat .env", "export API_KEY=abc", "env | grep TOKEN", "cat pytest.ini", "git log -p", "aws sts get-session-token"])(
    "is none, and nothing of it is read: %s",
    (line) => { expect(mayRunTests(line)).toBe(false); },
  );
});
