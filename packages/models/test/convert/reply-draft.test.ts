/** What is read of a call's arguments, and what is only kept beside it. */

import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/convert/reply-draft.ts";

const read = (json: string) =>
  parseArguments({ kind: "call", id: "c", name: "read", json, isComplete: true, metadata: {} });
const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;

describe("CNV3 tool call arguments", () => {
  test.each([1, 100, 140])("nested %d deep are kept", (depth) => {
    expect(read(nested(depth))).toEqual({ arguments: JSON.parse(nested(depth)) });
  });

  test.each([160, 200, 20_000])("nested %d deep are replaced by none, with their text kept", (depth) => {
    const { arguments: args, pith } = read(nested(depth));
    expect(args).toEqual({});
    expect(pith?.unread).toBe(nested(depth));
  });

  test("of more than four megabytes are replaced by none, with their text shortened", () => {
    const { arguments: args, pith } = read(JSON.stringify({ text: "x".repeat(4 * 1024 * 1024) }));
    expect(args).toEqual({});
    expect(pith?.unread).toMatch(/^\{"text":"x+… \(4128779 more characters\)$/);
    expect(read(JSON.stringify({ text: "x".repeat(1024 * 1024) })).pith).toBeUndefined();
  });
});
