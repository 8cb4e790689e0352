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
  ["a title that ends with a bell", "\x1b]0;title\x07text", "text"],
  ["a link", "\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", "text"],
  ["a character set", "\x1b(Btext", "text"],
  ["a sequence without an end", "\x1b]0;never ended\nnext", "\nnext"],
  ["a sequence broken off", "\x1b[3\nnext", "\nnext"],
  ["a sequence in a sequence", "\x1b]0;a\x1b[31mtext", "text"],
  ["bells and backspaces", "a\x07b\x08c\x00d\x7fe", "abcde"],
  ["8-bit control characters", "a\u009b31mb", "a31mb"],
  ["tabs and non-ASCII letters", "\tä€𝄞日本\n", "\tä€𝄞日本\n"],
  ["Windows line ends", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a progress line", "10%\r20%\r100%\ndone\n", "100%\ndone\n"],
  ["a progress line that ends with a carriage return", "10%\r100%\r", "100%"],
  ["a progress line that clears itself", "10%\r\x1b[K20%\r\x1b[Kdone\n", "done\n"],
  ["a progress line that moves the cursor by column", "10%\x1b[1G\x1b[0K20%\n", "20%\n"],
])("BASH13 renders %s as plain text, in pieces of any size", (_, output, expected) => {
  for (const piece of [65_536, 1, 2, 3]) expect(renderOutput(output, piece)).toBe(expected);
});

test("BASH13 a run of invalid bytes becomes one replacement character", () => {
  expect(renderOutput(Uint8Array.of(0x61, 0xff, 0xfe, 0xfd, 0x62, 0xc3))).toBe("a\uFFFDb\uFFFD");
});

test("BASH13 for any bytes in any pieces, the text is the same and has no escape or control characters", () => {
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

test("BASH13 taking the output twice does not repeat it", () => {
  const screen = new TerminalBuffer(limit);
  screen.write(Buffer.from("one\ntw"));
  expect(screen.take().text).toBe("one\ntw");
  screen.write(Buffer.from("o\n"));
  expect(screen.take().text).toBe("o\n");
  expect(screen.bytes).toBe(8);
});
