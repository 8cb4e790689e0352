/** Tests properties of the classifier on any text: total, deterministic, independent of form and case, linear. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { classifyRefusal } from "../../src/overflow/index.ts";
import { moreRows, refusal, rows } from "./rows.ts";

const row = fc.constantFrom(...rows, ...moreRows);
const pieces = [
  "prompt",
  "is too long",
  "tokens",
  "context length",
  "exceeds",
  '"',
  "'",
  "{",
  "}",
  "[",
  ":",
  "\\",
  "413",
  "limit 5, requested 9",
  "\u2028",
  "ß",
  "İ",
];
const noise = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join(" ")),
);

test("OVF10 any text is classified, and always the same", () => {
  fc.assert(
    fc.property(noise, fc.option(fc.integer({ min: 0, max: 700 }), { nil: undefined }), (text, status) => {
      const given = { text, ...(status !== undefined && { status }) };
      expect(["overflow", "payload", "ratelimit", "tpm_ceiling", "other"]).toContain(classifyRefusal(given).class);
      expect(classifyRefusal(given)).toEqual(classifyRefusal(given));
    }),
    { numRuns: 500 },
  );
});

test("OVF10 the letter case of a message does not change its class", () => {
  for (const each of [...rows, ...moreRows]) {
    const verdict = classifyRefusal(refusal(each));
    expect(classifyRefusal({ ...refusal(each), text: each.text.toUpperCase() }), each.text).toEqual(verdict);
    expect(classifyRefusal({ ...refusal(each), text: each.text.toLowerCase() }), each.text).toEqual(verdict);
  }
  fc.assert(
    fc.property(noise, (text) => {
      expect(classifyRefusal({ text: text.toUpperCase() })).toEqual(classifyRefusal({ text }));
    }),
  );
});

const envelopes: readonly ((text: string) => unknown)[] = [
  (message) => ({ message }),
  (message) => ({ error: { message } }),
  (message) => ({ error: message }),
  (message) => ({ detail: message }),
  (message) => ({ request_id: "req_1", error: { param: null, message, type: "invalid_request_error" }, type: "error" }),
  (message) => ({ error: { message: "Provider returned error", metadata: { raw: JSON.stringify({ message }) } } }),
  (message) => [{ error: { message } }],
  (message) => message,
];

test("OVF10 the form of the JSON around a message does not change its class", () => {
  fc.assert(
    fc.property(row, fc.constantFrom(...envelopes), fc.constantFrom("", "  ", "\t"), (each, wrap, indent) => {
      // A bare text is bare no longer once somebody wrapped words around it.
      fc.pre(!each.text.includes("no body") && each.text !== "");
      const text = JSON.stringify(wrap(each.text), null, indent);
      expect(classifyRefusal({ ...refusal(each), text }).class).toBe(each.expected);
    }),
    { numRuns: 1_000 },
  );
});

test("OVF9 only the first 8 KB of a text are classified", () => {
  const text = "prompt is too long: 213462 tokens > 200000 maximum";
  expect(classifyRefusal({ status: 400, text: `${". ".repeat(4_000)}${text}` }).class).toBe("overflow");
  expect(classifyRefusal({ status: 400, text: `${". ".repeat(4_096)}${text}` }).class).toBe("other");
  expect(classifyRefusal({ status: 400, text: `${". ".repeat(4_096)}{"message":"${text}"}` }).class).toBe("other");
});

test("OVF9 the limit of 8 KB applies to all messages together", () => {
  const text = "prompt is too long: 213462 tokens > 200000 maximum";
  const body = (messages: number) =>
    JSON.stringify({
      errors: [...Array.from({ length: messages }, () => ({ message: "a ".repeat(500) })), { message: text }],
    });
  expect(classifyRefusal({ status: 400, text: body(8) }).class).toBe("overflow");
  expect(classifyRefusal({ status: 400, text: body(9) }).class).toBe("other");
});

test("OVF9 the number of parsed values is limited, however they are nested", () => {
  const text = (objects: number) => `${"{'a':1} ".repeat(objects)}{'message':'prompt is too long'}`;
  expect(classifyRefusal({ status: 400, text: text(300) }).class).toBe("overflow");
  expect(classifyRefusal({ status: 400, text: JSON.stringify({ message: text(300) }) }).class).toBe("overflow");
  expect(classifyRefusal({ status: 400, text: text(400) }).class).toBe("other");
});

const sixteen = (value: unknown) => Array.from({ length: 16 }, () => value);
const bodies: readonly ((size: number) => unknown)[] = [
  (size) => ({ errors: sixteen({ message: "{'a':1} ".repeat(size / 128) }) }),
  (size) => ({ errors: sixteen({ errors: sixteen({ message: "{'message':'x y'} ".repeat(size / 4_608) }) }) }),
];

test.each(bodies)("OVF9 four times as many messages take no more than six times as long: %#", (body) => {
  const [medium = 0, large = 0] = [64_000, 256_000].map((size) => fastest(JSON.stringify(body(size))));
  expect(large).toBeLessThan(6 * Math.max(medium, 1_000));
});

const hostile: readonly string[] = [
  "a",
  "input token count ",
  "prompt is too ",
  "exceeds the maximum ",
  "[",
  '{"error":',
  '{"a":[',
  '"',
  " 'a",
  "\\",
  "1,",
  "` ",
  '{"message":"prompt"} ',
  "{ ",
  "'a' ",
  "a'",
  "İ",
  '\\"',
];

test.each(hostile)("OVF9 a text four times as long made of %j takes no more than six times as long", (part) => {
  // Up to 64 KB are looked at; beyond that time stands still, so growth is measured on both sides of it.
  const [small = 0, medium = 0, large = 0] = [16_000, 64_000, 256_000].map((size) =>
    fastest(part.repeat(size / part.length)),
  );
  expect(medium).toBeLessThan(6 * Math.max(small, 1_000));
  expect(large).toBeLessThan(6 * Math.max(medium, 1_000));
});

/** Microseconds of this thread's own work: others may use the machine at the same time. */
function fastest(text: string): number {
  const times = Array.from({ length: 7 }, () => {
    const start = process.threadCpuUsage();
    classifyRefusal({ status: 400, text });
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  });
  return Math.min(...times);
}
