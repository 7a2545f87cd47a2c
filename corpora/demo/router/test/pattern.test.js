import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../src/pattern.js";

test("a plain pattern matches itself, with or without a last slash", () => {
  const match = compile("/about/team");
  assert.deepEqual(match("/about/team"), {});
  assert.deepEqual(match("/about/team/"), {});
  assert.equal(match("/about/teams"), null);
});

test("parameters take one segment each", () => {
  const match = compile("/users/:id/posts/:post");
  assert.deepEqual(match("/users/7/posts/hello"), { id: "7", post: "hello" });
  assert.equal(match("/users/7/posts/hello/world"), null);
});

test("characters with a meaning in expressions have none in patterns", () => {
  assert.equal(compile("/a.b")("/axb"), null);
});
