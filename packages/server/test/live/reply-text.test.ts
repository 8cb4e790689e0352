/** The text of a running reply, put together from deltas in whatever way they were divided. */

import { expect, test } from "vitest";
import { addDelta, type LiveDelta, type ReplyText } from "../../src/index.ts";
import { packItems, unpackItems } from "../../src/live/live-items.ts";

const first: LiveDelta = {
  ...{ type: "delta", reply: "m1-1-0", holder: "1", part: 0 },
  ...{ kind: "text", offset: 0, text: "Hello" },
};

function addAll(deltas: readonly LiveDelta[]): ReplyText | "gap" | null {
  let reply: ReplyText | null = null;
  for (const delta of deltas) {
    const next: ReplyText | "gap" = addDelta(reply, delta);
    if (next === "gap") return next;
    reply = next;
  }
  return reply;
}

test("HLIVE1 a delta continues its part, replaces what follows its offset, and begins a part anew at its beginning", () => {
  const call = { id: "c1", name: "write" };
  const deltas: LiveDelta[] = [
    first,
    { ...first, offset: 5, text: ", wor" },
    { ...first, offset: 9, text: "rld" },
    { ...first, part: 1, kind: "toolCall", text: '{"a"', call },
    { ...first, part: 2, kind: "thinking", text: "Hm." },
    { ...first, part: 1, kind: "toolCall", offset: 4, text: ":1}" },
  ];
  expect(addAll(deltas)).toEqual({
    ...{ reply: "m1-1-0", holder: "1" },
    parts: [
      { kind: "text", text: "Hello, world" },
      { kind: "toolCall", text: '{"a":1}', call },
      { kind: "thinking", text: "Hm." },
    ],
  });
  expect(addAll([...deltas, { ...first, part: 1, text: "Again" }])).toMatchObject({
    parts: [
      { kind: "text", text: "Hello, world" },
      { kind: "text", text: "Again" },
    ],
  });
});

test("HLIVE1 a delta whose beginning is missing is a gap, and only a newer worker replaces a reply", () => {
  expect(addAll([{ ...first, offset: 1 }])).toBe("gap");
  expect(addAll([{ ...first, part: 1 }])).toBe("gap");
  expect(addAll([first, { ...first, offset: 6 }])).toBe("gap");
  expect(addAll([first, { ...first, reply: "m1-2-0", offset: 5 }])).toBe("gap");
  expect(
    addAll([
      { ...first, holder: "9" },
      { ...first, holder: "10", text: "Hi" },
    ]),
  ).toMatchObject({
    ...{ holder: "10", parts: [{ text: "Hi" }] },
  });
  expect(
    addAll([
      { ...first, holder: "10" },
      { ...first, holder: "9", text: "Hi" },
    ]),
  ).toMatchObject({
    ...{ holder: "10", parts: [{ text: "Hello" }] },
  });
});

test("HLIVE1 payloads are short enough for PostgreSQL, few, and divide any text without changing it", () => {
  const texts = ["x".repeat(50_000), "\u0000\ud800 lone, \u2028 and \ud83d\ude00 ".repeat(3_000), ""];
  const deltas = texts.map((text, part) => ({ ...first, part, text, key: "7", isRepeat: false }));
  const payloads = packItems([{ type: "entries", key: "7" }, ...deltas, { type: "state", key: "8" }]);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
  const items = payloads.flatMap(unpackItems);
  expect([items[0], items.at(-1)]).toEqual([
    { type: "entries", key: "7" },
    { type: "state", key: "8" },
  ]);
  const unpacked = items.flatMap((item) => (item.type === "delta" ? [item] : []));
  expect(addAll(unpacked)).toMatchObject({ parts: texts.map((text) => ({ text })) });
  const marks = Array.from({ length: 3_000 }, (_, index) => ({ type: "entries", key: String(index) }) as const);
  const sizes = packItems(marks).map((payload) => Buffer.byteLength(payload));
  expect(Math.max(...sizes)).toBeLessThan(8_000);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(7_500);
});
