import { describe, expect, it } from "vitest";

import { policyOf } from "../../../src/typing/policies/policy";
import { POLICIES } from "../../../src/typing/policies/tables";

describe("policyOf", () => {
  it("knows each policy by its name", () => {
    for (const name of Object.keys(POLICIES)) {
      expect(policyOf(name)).toEqual(POLICIES[name]);
    }
  });

  it("lays numbers over it, also in the tables within it", () => {
    expect(policyOf("pause:250").debounce).toBe(250);
    expect(policyOf("copilot:hold=100, debounce=75")).toMatchObject({ hold: 100, debounce: 75, min_prompt: 10 });
    expect(policyOf("tabby:adaptive.max=500").adaptive).toMatchObject({ max: 500, min: 100 });
    expect(policyOf("cody:line_start=null").line_start).toBeNull();
    expect(policyOf("vscode:ignores=undo+redo").ignores).toEqual(["undo", "redo"]);
    expect(policyOf("vscode:right=^$").right).toBe("^$");
  });

  it("leaves the tables themselves as they are", () => {
    policyOf("tabby:adaptive.max=1,debounce=9");
    expect(POLICIES["tabby"]).toMatchObject({ debounce: 0, adaptive: { max: 1000 } });
  });

  it.each(["blocks", "recorded", "", "vsocde"])("refuses %j and lists those that an editor can follow", (name) => {
    expect(() => policyOf(name)).toThrow(/choose one of vscode, copilot/);
  });

  it.each(["vscode:250", "vscode:debounse=1", "tabby:adaptive.most=1", "vscode:debounce=-1", "vscode:cancels=2", "vscode:debounce=null", "vscode:right=("])(
    "refuses %s",
    (text) => {
      expect(() => policyOf(text)).toThrow(/ghosttape.policy is/);
    },
  );
});
