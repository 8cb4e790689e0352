/** One line as JSON, from whoever it comes. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { readJson } from "../../../src/rpc/reading/read-json.ts";

const read = (text: string | Uint8Array) => readJson(typeof text === "string" ? Buffer.from(text) : text);

test("RPC4 what is no UTF-8, too deep or no JSON is refused with what to write", () => {
  assert.match(Object(read(Uint8Array.of(0x22, 0xff, 0x22))).message, /no UTF-8/);
  assert.match(Object(read("[".repeat(100_000))).message, /deeper than 200/);
  assert.match(Object(read('{"a":"\u0000"}')).message, /no JSON/);
  assert.match(Object(read("{")).message, /such as \{"type":"get_state"\}/);
});

test("RPC4 more values than any command takes are refused before anything is made of them", () => {
  assert.match(Object(read(`[${"[],".repeat(1_000_000)}0]`)).message, /more than 10000 values/);
  assert.equal(read(JSON.stringify({ text: ",".repeat(20_000) })).type, "read");
});

test("RPC4 brackets in texts are no nesting, and 200 levels are allowed", () => {
  assert.equal(read(JSON.stringify({ text: '["\\'.repeat(1_000) })).type, "read");
  assert.equal(read(`${"[".repeat(200)}${"]".repeat(200)}`).type, "read");
  assert.equal(read(`${"[".repeat(201)}${"]".repeat(201)}`).type, "mistake");
});
