import assert from "node:assert/strict";
import { test } from "node:test";
import { Router } from "../src/router.js";

const show = () => "show";
const save = () => "save";
const router = new Router().add("GET", "/users/:id", show).add("PUT", "/users/:id", save).add("GET", "/:page", show);

test("the first route that matches answers", () => {
  assert.deepEqual(router.find("PUT", "/users/7"), { handler: save, params: { id: "7" } });
  assert.deepEqual(router.find("GET", "/about"), { handler: show, params: { page: "about" } });
});

test("where no route matches there is no answer", () => {
  assert.equal(router.find("DELETE", "/users/7"), null);
  assert.equal(router.find("GET", "/users/7/posts"), null);
});
