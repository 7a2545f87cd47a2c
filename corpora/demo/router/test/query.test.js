import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQuery } from "../src/query.js";

test("values are found by their names", () => {
  assert.deepEqual(parseQuery("?a=1&b=two"), { a: "1", b: "two" });
  assert.deepEqual(parseQuery("flag"), { flag: "" });
  assert.deepEqual(parseQuery(""), {});
});

test("a name that is repeated has a list", () => {
  assert.deepEqual(parseQuery("a=1&a=2&a=3"), { a: ["1", "2", "3"] });
});

test("what was encoded is decoded", () => {
  assert.deepEqual(parseQuery("topping=%F0%9F%8D%95&say=hello+there"), { topping: "🍕", say: "hello there" });
});
