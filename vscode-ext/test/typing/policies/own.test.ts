import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => ({ RelativePattern: Object, workspace: {} }));

import { policiesOf } from "../../../src/typing/policies/configured";
import { policyOf } from "../../../src/typing/policies/policy";
import examples from "./own.json" with { type: "json" };

describe("a policy of ghosttape.toml", () => {
  it.each(examples.policies)("is that of a replay: $text of $own", ({ text, own, numbers }) => {
    if (numbers === null) {
      expect(() => policyOf(text, own)).toThrow(/ghosttape.policy is/);
    } else {
      expect(policyOf(text, own)).toEqual(numbers);
    }
  });

  it("is read as people write it", () => {
    const own = policiesOf("[server]\nprovider = { name = 'ngram' }\n\n[policies.ours] # mine\nbase = \"tabby\"\nright = '^[)\\],;]*$'\nadaptive = { max = 600 }\n");
    expect(policyOf("ours", own)).toMatchObject({ right: "^[)\\],;]*$", min_suggestion: 4, adaptive: { max: 600, min: 100 } });
    expect(policiesOf("")).toEqual({});
  });

  it("is refused with the line where the file is no TOML", () => {
    expect(() => policiesOf("[server]\nname = \n")).toThrow(/ghosttape.toml, line 2/);
  });

  it.each([
    [{ ours: { base: "blocks" } }, /only a replay can follow "ours" of ghosttape.toml: it goes by the finished text/],
    [{ ours: { asks: "recorded" } }, /only a replay can follow "ours" of ghosttape.toml/],
    [{ ours: { base: "zedd" } }, /has the base "zedd"; choose one of vscode/],
    [{ ours: { debonce: 1 } }, /"ours" of ghosttape.toml has "debonce", which is none of about, debounce/],
    [{ ours: { debounce: "fast" } }, /debounce of "ours" of ghosttape.toml cannot be "fast"/],
    [{ ours: { base: "vscode", backoff: { min: 3 } } }, /backoff of "ours" of ghosttape.toml needs rejected, accepted/],
    [{ ours: 3 }, /"ours", which is no table/],
    [{ mine: {} }, /there is no policy "ours"; choose one of .*, mine/],
  ])("says what is wrong with %j", (own, message) => {
    expect(() => policyOf("ours", own)).toThrow(message);
  });
});
