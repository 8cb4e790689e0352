/** Tests modes/rpc/lines.ts: split lines, parse JSON. */

import assert from "node:assert/strict";
import { createLineSplitter, type Line } from "@pith/client";
import { describe, test } from "vitest";
import { parseJsonLine } from "../../src/protocol/parse-json-line.ts";

describe("split lines", () => {
  const shown = (pieces: readonly Line[]): readonly (string | number)[] =>
    pieces.map((piece) => (piece.type === "line" ? piece.bytes.toString("utf8") : piece.bytes));

  test("RPC3 only LF ends a line, wherever the input is cut", () => {
    const bytes = Buffer.from('{"a":"\u2028\u0085"}\r\n\nlast');
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines = createLineSplitter();
      const read: (string | number)[] = [];
      for (let at = 0; at < bytes.length; at += size) read.push(...shown(lines.push(bytes.subarray(at, at + size))));
      assert.deepEqual([...read, ...shown(lines.end())], ['{"a":"\u2028\u0085"}', "", "last"]);
    }
  });

  test("RPC3 a line that is too long is skipped, and the lines after it are read", () => {
    const lines = createLineSplitter(4);
    assert.deepEqual(shown(lines.push(Buffer.from("12345"))), []);
    assert.deepEqual(shown(lines.push(Buffer.from("678\nabcd\n"))), [8, "abcd"]);
    assert.deepEqual(shown(lines.end()), []);
  });
});

describe("parse JSON", () => {
  const read = (text: string | Uint8Array) => parseJsonLine(typeof text === "string" ? Buffer.from(text) : text);

  test("RPC4 invalid UTF-8, deep nesting and invalid JSON are refused with the expected form", () => {
    assert.match(Object(read(Uint8Array.of(0x22, 0xff, 0x22))).message, /not valid UTF-8/);
    assert.match(Object(read("[".repeat(100_000))).message, /deeper than 200/);
    assert.match(Object(read('{"a":"\u0000"}')).message, /not valid JSON/);
    assert.match(Object(read("{")).message, /such as \{"type":"get_state"\}/);
  });

  test("RPC4 a line with more values than any command has is refused before it is parsed", () => {
    assert.match(Object(read(`[${"[],".repeat(1_000_000)}0]`)).message, /more than 10000 values/);
    assert.equal(read(JSON.stringify({ text: ",".repeat(20_000) })).type, "read");
  });

  test("RPC4 brackets in strings do not count as nesting, and 200 levels are allowed", () => {
    assert.equal(read(JSON.stringify({ text: '["\\'.repeat(1_000) })).type, "read");
    assert.equal(read(`${"[".repeat(200)}${"]".repeat(200)}`).type, "read");
    assert.equal(read(`${"[".repeat(201)}${"]".repeat(201)}`).type, "mistake");
  });
});
