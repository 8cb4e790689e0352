/** Bytes to lines: by LF and nothing else. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { lfLines, type Piece } from "../../../src/rpc/line/lf-lines.ts";

const shown = (pieces: readonly Piece[]): readonly (string | number)[] =>
  pieces.map((piece) => (piece.type === "line" ? piece.bytes.toString("utf8") : piece.bytes));

test("RPC3 a line ends with LF and nothing else, wherever the bytes are cut", () => {
  const bytes = Buffer.from('{"a":"\u2028\u0085"}\r\n\nlast');
  for (let size = 1; size <= bytes.length; size += 1) {
    const lines = lfLines();
    const read: (string | number)[] = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...shown(lines.read(bytes.subarray(at, at + size))));
    assert.deepEqual([...read, ...shown(lines.rest())], ['{"a":"\u2028\u0085"}', "", "last"]);
  }
});

test("RPC3 a line that is too long is passed over to its end, and what follows is read", () => {
  const lines = lfLines(4);
  assert.deepEqual(shown(lines.read(Buffer.from("12345"))), []);
  assert.deepEqual(shown(lines.read(Buffer.from("678\nabcd\n"))), [8, "abcd"]);
  assert.deepEqual(shown(lines.rest()), []);
});
