/** Tests head and tail of an output: limited, cut between lines if possible, with a correct count of the gap. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { TerminalBuffer } from "../../../src/tools/bash/terminal-output.ts";

const GAP = /\n?\[… (\d+) bytes, (\d+) lines omitted …\]\n/;

function shown(output: string, limit: { lines: number; bytes: number }, piece = 65_536) {
  const bytes = new TextEncoder().encode(output);
  const screen = new TerminalBuffer(limit);
  for (let at = 0; at < bytes.length; at += piece) screen.write(bytes.slice(at, at + piece));
  return screen.take();
}

test("BASH8 an output within the limit is shown whole", () => {
  const output = "line\n".repeat(2_000);
  expect(shown(output, { lines: 2_000, bytes: 51_200 })).toEqual({ text: output, isTruncated: false });
});

test("BASH8 an output that head and tail cover together is shown whole", () => {
  const output = Array.from({ length: 2_030 }, (_, at) => `${at}\n`).join("");
  expect(shown(output, { lines: 2_000, bytes: 51_200 })).toEqual({ text: output, isTruncated: false });
});

test("BASH8 a line that is too long is cut between characters", () => {
  const { text, isTruncated } = shown("€".repeat(100_000), { lines: 2_000, bytes: 51_200 });
  expect(isTruncated).toBe(true);
  expect(text).toMatch(/^€+\n\[… \d+ bytes, 0 lines omitted …\]\n€+$/);
});

test("BASH8 an output with many lines is cut between lines", () => {
  const output = Array.from({ length: 50_000 }, (_, at) => `this is the line with the number ${at}\n`).join("");
  const [head = "", , , tail = ""] = shown(output, { lines: 2_000, bytes: 51_200 }).text.split(GAP);
  expect(output.startsWith(`${head}\n`)).toBe(true);
  expect(output.endsWith(`\n${tail}`)).toBe(true);
  expect(tail.length).toBeGreaterThan(50_000);
});

test("BASH8 for any lines in any pieces, the text is within the limit and the size of the gap is correct", () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 60 }), { maxLength: 120 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 700 }), (all, piece) => {
      const output = all.map((line) => `${line}\n`).join("");
      const { text, isTruncated } = shown(output, { lines: 50, bytes: 1_000 }, piece);
      if (!isTruncated) {
        expect(text).toBe(output);
        return;
      }
      const [head = "", bytes, left, tail = ""] = text.split(GAP);
      expect(tail.length).toBeLessThanOrEqual(1_000);
      expect(output.startsWith(head) && output.endsWith(tail)).toBe(true);
      const missing = output.slice(head.length, output.length - tail.length);
      // The line end after the head is shown, as the one before the gap, unless the head was cut within a line.
      expect(missing.length - Number(bytes)).toBeOneOf([0, 1]);
      expect(missing.split("\n").length - 1 - Number(left)).toBeOneOf([0, 1]);
    }),
    { numRuns: 500 },
  );
});
