/** Tests that any changed bit of a line with a trailer is detected or harmless. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTrailerValid, type LineMarks, readTrailer, withTrailer } from "../../src/format/line-checksum.ts";
import { readLine } from "../../src/format/read-line.ts";
import { story } from "../../src/testing/story.ts";
import { bytesOf, chain, checksum, file, ourHeader, read, textOf, texts, withTrailers } from "./specimen.ts";

const [jsonLine = ""] = texts(story('user: räume auf, "bitte" \\ 👍'));

const readLineTrailer = (line: string): { text: string; marks: LineMarks; holds: boolean } | null => {
  const bytes = bytesOf(line);
  const trailer = readTrailer(bytes);
  const text = `${textOf(bytes.subarray(0, trailer?.textEnd))}}`;
  return trailer && { text, marks: trailer.marks, holds: isTrailerValid(trailer, bytes, checksum) };
};

describe("LOG2 a trailer", () => {
  test("LOG2 is at the end of the line, and its checksum covers every byte before it", () => {
    const line = withTrailer('{"a":"ä"}', {}, checksum);
    expect(line).toBe(`{"a":"ä","crc":"${hex('{"a":"ä"')}"}`);
    expect(withTrailer('{"a":"ä"}', { batch: [2, 3] }, checksum)).toBe(
      `{"a":"ä","batch":[2,3],"crc":"${hex('{"a":"ä","batch":[2,3]')}"}`,
    );
  });

  test.each<[string, string, LineMarks]>([
    ["a line", jsonLine, {}],
    ["a line of a batch", jsonLine, { batch: [1, 2] }],
    ["a line of a large batch", jsonLine, { batch: [999_999_999, 999_999_999] }],
    ["a line whose parent stands elsewhere", jsonLine, { up: 123_456_789_012 }],
    ["a line that was not synced alone", jsonLine, { run: 12, batch: [1, 2] }],
    [
      "a line with every mark",
      jsonLine,
      { up: 999_999_999_999_999, run: 999_999_999, batch: [999_999_999, 999_999_999] },
    ],
    ["an object with space in it", '{ "a" : 1 }', {}],
    ["a line with a checksum of its own", '{"a":1,"crc":"00000000"}', {}],
    [
      "a line with a trailer inside a string",
      JSON.stringify({ a: ',"batch":[1,2],"crc":"00000000"}' }),
      { batch: [2, 2] },
    ],
  ])("LOG2 can be removed without a change: %s", (_, text, marks) => {
    expect(readLineTrailer(withTrailer(text, marks, checksum))).toEqual({ text, marks, holds: true });
  });

  test.each<[string, LineMarks]>([
    ['{"type":"theirs","batch":[1,2]}', {}],
    ['{"type":"theirs","batch":[1,2]}', { batch: [3, 4] }],
    ['{"type":"theirs","up":7}', {}],
    ['{"type":"theirs","up":7,"run":1}', { run: 3 }],
    ['{"type":"theirs","run":1}', { batch: [1, 2] }],
  ])("LOG3 is not confused with members of the entry: %s with %j", (text, marks) => {
    expect(readLineTrailer(withTrailer(text, marks, checksum))).toEqual({
      text,
      marks: { up: 0, ...marks },
      holds: true,
    });
  });

  test.each(["\r", "  ", "\t\r"])("LOG2 is valid with %j after the line", (behind) => {
    const trailer = readLineTrailer(withTrailer(jsonLine, { batch: [1, 2] }, checksum) + behind);
    expect(trailer).toEqual({ text: jsonLine, marks: { batch: [1, 2] }, holds: true });
  });

  test.each([
    '{"a":1}',
    "{}",
    "",
    "null",
    '{"crc":"00000000"}',
    '{"a":1,"crc":"0000000"}',
    '{"a":1,"crc":"00000000"',
    '{"a":1,"crc":0}',
  ])("LOG2 is not found on a line without one: %s", (line) => expect(readTrailer(bytesOf(line))).toBeNull());

  test("LOG2 can be removed from any object without a change", () => {
    const number = fc.integer({ min: 1, max: 999_999_999 });
    const marks = fc.record({ up: number, run: number, batch: fc.tuple(number, number) }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), marks, (value, marks) => {
        const text = JSON.stringify({ type: "x", ...value });
        expect(readLineTrailer(withTrailer(text, marks, checksum))).toMatchObject({ text, marks, holds: true });
      }),
    );
  });
});

describe("D8 a single changed bit", () => {
  test.each<[string, string, string]>([
    ["a line", jsonLine, withTrailer(jsonLine, {}, checksum)],
    ["a line of a batch", jsonLine, withTrailer(jsonLine, { batch: [1, 2] }, checksum)],
    ["a line with CR behind it", jsonLine, `${withTrailer(jsonLine, {}, checksum)}\r`],
  ])("D8 is detected, or the text is unchanged: %s", (_, text, line) => {
    for (const bytes of eachFlip(bytesOf(line))) {
      const reading = readLine(bytes, { isPithFormat: true, checksum });
      if (reading.type === "damaged") continue;
      if (reading.minorDamage === null) expect(reading.value).toEqual(JSON.parse(text));
      else expect(reading.value).toMatchObject(JSON.parse(text));
    }
  });

  test("D8 in a file of 40 entries is reported, and every other entry is read", () => {
    const short = chain(40).map((line) => line.replace(/,"timestamp".*/, "}").replace("custom", "x"));
    const bytes = file(withTrailers(ourHeader, ...short));
    const silent: string[] = [];
    let fewest = 40;
    for (const flipped of eachFlip(bytes)) {
      const { lines, damage } = read(flipped);
      if (damage.length === 0) silent.push(textOf(flipped.slice(-3)));
      fewest = Math.min(fewest, lines.filter(({ entry }) => entry.type === "unknown").length);
    }
    expect(silent).toEqual([]);
    // The end of a line between two entries takes both with it.
    expect(fewest).toBe(38);
  });
});

/** The same bytes again and again, each time with another bit turned. */
function* eachFlip(bytes: Uint8Array): Generator<Uint8Array> {
  const flipped = Uint8Array.from(bytes);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    flipped[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
    flipped[bit >> 3] = bytes[bit >> 3] ?? 0;
  }
}

function hex(text: string): string {
  return checksum(bytesOf(text)).toString(16).padStart(8, "0");
}
