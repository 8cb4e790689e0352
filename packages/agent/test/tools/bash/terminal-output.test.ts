/** Tests how terminal output is cleaned, for any split into chunks. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { TerminalBuffer } from "../../../src/tools/bash/terminal-output.ts";

const limit = { lines: 2_000, bytes: 51_200 };

function renderOutput(output: string | Uint8Array, piece = 65_536): string {
  const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output;
  const screen = new TerminalBuffer(limit);
  for (let at = 0; at < bytes.length; at += piece) screen.write(bytes.slice(at, at + piece));
  return screen.take().text;
}

test.each([
  ["colours", "\x1b[31mred\x1b[0m\n", "red\n"],
  ["a title with a bell", "\x1b]0;title\x07text", "text"],
  ["a link with its end", "\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", "text"],
  ["a character set", "\x1b(Btext", "text"],
  ["a sequence without an end", "\x1b]0;never ended\nnext", "\nnext"],
  ["a sequence broken off", "\x1b[3\nnext", "\nnext"],
  ["a sequence in a sequence", "\x1b]0;a\x1b[31mtext", "text"],
  ["bells and backspaces", "a\x07b\x08c\x00d\x7fe", "abcde"],
  ["controls of two bytes", "a\u009b31mb", "a31mb"],
  ["tabs and letters of all lands", "\tä€𝄞日本\n", "\tä€𝄞日本\n"],
  ["lines that end as on Windows", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["progress", "10%\r20%\r100%\ndone\n", "100%\ndone\n"],
  ["progress that ends with a return", "10%\r100%\r", "100%"],
  ["progress that clears its line", "10%\r\x1b[K20%\r\x1b[Kdone\n", "done\n"],
  ["progress by column", "10%\x1b[1G\x1b[0K20%\n", "20%\n"],
])("BASH13 %s, in pieces of any size", (_, output, expected) => {
  for (const piece of [65_536, 1, 2, 3]) expect(renderOutput(output, piece)).toBe(expected);
});

test("BASH13 bytes that are no text become one mark for each stretch of them", () => {
  expect(renderOutput(Uint8Array.of(0x61, 0xff, 0xfe, 0xfd, 0x62, 0xc3))).toBe("a\uFFFDb\uFFFD");
});

test("BASH13 whatever comes, in whatever pieces: no escape, no control, and the same text", () => {
  const byte = fc.oneof(
    fc.constantFrom(0x1b, 0x5b, 0x5d, 0x0d, 0x0a, 0x07, 0x47, 0x61),
    fc.integer({ min: 0, max: 255 }),
  );
  const bytes = fc.array(byte, { maxLength: 200 }).map((all) => Uint8Array.from(all));
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 20 }), (output, piece) => {
      const text = renderOutput(output);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point.
      expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      expect(renderOutput(output, piece)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("BASH13 many progress updates do not displace the output before and after them", () => {
  const storm = Array.from({ length: 100_000 }, (_, at) => `${at} of 100000\r`).join("");
  expect(renderOutput(`before\n${storm}\nafter\n`, 1_000)).toBe("before\n99999 of 100000\nafter\n");
});

test("BASH13 output that was taken is not repeated", () => {
  const screen = new TerminalBuffer(limit);
  screen.write(Buffer.from("one\ntw"));
  expect(screen.take().text).toBe("one\ntw");
  screen.write(Buffer.from("o\n"));
  expect(screen.take().text).toBe("o\n");
  expect(screen.bytes).toBe(8);
});
