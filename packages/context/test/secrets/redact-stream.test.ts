/** What comes in pieces: keys of which only the end is there, values with spaces in them, and time that grows as the text does. */

import { createHmac } from "node:crypto";
import { Vault } from "@pith/context/secrets";
import fc from "fast-check";
import { expect, test } from "vitest";
import { secretPatterns } from "../../src/secrets/patterns.ts";
import { RedactionStream } from "../../src/secrets/redact-stream.ts";
import { expectLinearTime } from "../support/expect-speed.ts";
import { createSampleSecrets } from "../support/sample-secrets.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const digest = (value: string): string => createHmac("sha256", "a key for tests").update(value).digest("hex");
const [key = { text: "", secret: "" }] = createSampleSecrets(secretPatterns.length + 1, createSeededRandom(8)).slice(
  -1,
);
const tail = key.text.slice(key.text.indexOf("\n") + 1);

function streamed(pieces: readonly string[], environment = {}): string {
  const stream = new Vault({ digest, environment }).stream();
  return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
}

function inPieces(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

test.each([tail, `words\n${tail}\nmore\n`, tail.replaceAll(/^/gm, "> "), tail.replaceAll("\n", "\r\n")])(
  "SEC7 the end of a private key without its beginning is redacted while it streams",
  (text) => {
    const whole = streamed([text]);
    expect(whole).not.toContain(key.secret);
    expect(whole.split("\n")).toHaveLength(text.split("\n").length);
    for (const size of [1, 7, 70]) expect(streamed(inPieces(text, size))).toBe(whole);
  },
);

test("SEC7 lines that only look like key lines stay unchanged", () => {
  const lines = Array.from({ length: 2_000 }, () => `${key.secret}\n`).join("");
  const text = `${lines}and\n${key.secret}\nabc=\ndone`;
  for (const size of [50, 1_000_000]) expect(streamed(inPieces(text, size))).toBe(text);
});

test("SEC10 a value with spaces is found however it is split", () => {
  const value = "a bc dEf-73917 x";
  const text = `say ${value} now\nand a ${value}`;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), (size) => {
      const output = streamed(inPieces(text, size), { MY_PASSWORD: value });
      expect(output).toBe(streamed([text], { MY_PASSWORD: value }));
      expect(output).not.toContain("dEf");
    }),
  );
});

test("SEC8 many short lines before an endless one do not make it slower", () => {
  const text = (count: number): string => `${"a line\n".repeat(count)}${"y".repeat(70_000)}\n`;
  const [small, large] = [text(20_000), text(80_000)];
  expectLinearTime(
    () => streamed([small]),
    () => streamed([large]),
  );
});

test("BOUND3 a long word in tiny chunks is scanned a bounded number of times", () => {
  let scanned = 0;
  const stream = new RedactionStream({
    redactChunk: (text) => ({ text, keyState: "outside" }),
    mayContinue: (text) => {
      scanned += text.length;
      return false;
    },
  });
  const text = "lore".repeat(15_000);
  const pieces = inPieces(text, 4).map((piece) => stream.write(piece));
  expect(pieces.join("") + stream.end()).toBe(text);
  expect(scanned).toBeLessThan(text.length * 20);
});
