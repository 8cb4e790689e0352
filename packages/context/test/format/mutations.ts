/** Generates random damage for fast-check: changed, removed, inserted and zeroed bytes, moved lines, mixed-up ids. */

import fc from "fast-check";
import { story } from "../../src/testing/story.ts";
import { batch, bytesOf, file, inUtf16, joined, ourHeader, piHeader, textOf, texts, withTrailers } from "./specimen.ts";

type Mutation = (bytes: Uint8Array) => Uint8Array;

const replacements = texts(
  story(
    "user: räume auf",
    "says: 👍",
    "calls: read path=a.ts",
    "result: text",
    "compacts: so far, keeps e2",
    "labels e1: start",
    "moves: e2",
    "user: anders",
    "left e6: there",
  ),
);
const [first = "", second = "", ...others] = replacements;

const sessions: readonly Uint8Array[] = [
  file(withTrailers(ourHeader, first, second), batch(...others)),
  file(withTrailers(ourHeader), batch(first, second), withTrailers(...others)),
  file(piHeader, replacements),
  bytesOf(`\ufeff${[piHeader, ...replacements].join("\r\n")}`),
  file(
    piHeader.replace('"version":3,', ""),
    replacements.map((line) => line.replace(/"id":"e\d",|"parentId":(?:"e\d"|null),/g, "")),
  ),
  file(replacements),
  inUtf16([piHeader, ...replacements].join("\n")),
];

/** A place in a file of any length, as a share of it. */
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const place = (bytes: ArrayLike<unknown>, at: number): number => Math.floor(at * bytes.length);
const span = fc.tuple(share, fc.integer({ min: 1, max: 200 }));

const flip = fc.tuple(share, fc.nat(7)).map(
  ([at, bit]): Mutation =>
    (bytes) => {
      const index = place(bytes, at);
      return bytes.with(index, (bytes[index] ?? 0) ^ (1 << bit));
    },
);

const cut = share.map(
  (at): Mutation =>
    (bytes) =>
      bytes.slice(0, place(bytes, at)),
);

const drop = span.map(
  ([at, length]): Mutation =>
    (bytes) => {
      const start = place(bytes, at);
      return joined(bytes.subarray(0, start), bytes.subarray(start + length));
    },
);

const zero = span.map(
  ([at, length]): Mutation =>
    (bytes) =>
      bytes.slice().fill(0, place(bytes, at), place(bytes, at) + length),
);

const insert = fc.tuple(share, fc.uint8Array({ minLength: 1, maxLength: 20 })).map(
  ([at, more]): Mutation =>
    (bytes) => {
      const start = place(bytes, at);
      return joined(bytes.subarray(0, start), more, bytes.subarray(start));
    },
);

/** Takes a line out, doubles it, or puts it elsewhere. */
const moveLine = fc.tuple(share, share, fc.nat(2)).map(
  ([from, to, act]): Mutation =>
    (bytes) => {
      const lines = textOf(bytes).split("\n");
      const line = lines[place(lines, from)] ?? "";
      const rest = act === 1 ? lines : lines.toSpliced(place(lines, from), 1);
      return bytesOf((act === 0 ? rest : rest.toSpliced(place(rest, to), 0, line)).join("\n"));
    },
);

/** Gives one id another name, here and there: parents get lost, circles close, ids are shared. */
const confuse = fc.tuple(share, fc.nat(9), fc.constantFrom('"', '"id":"', '"parentId":"')).map(
  ([at, number, before]): Mutation =>
    (bytes) => {
      const text = textOf(bytes);
      const found = text.indexOf(`${before}e`, place(text, at));
      if (found === -1) return bytes;
      const start = found + before.length + 1;
      return bytesOf(`${text.slice(0, start)}${number}${text.slice(start + 1)}`);
    },
);

export const noise: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff], [0x7b, 0, 0x22, 0], [0x7b, 0x22]),
    fc.uint8Array({ maxLength: 300 }),
  )
  .map(([start, rest]) => Uint8Array.from([...start, ...rest]));

export const damagedSession: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.constantFrom(...sessions),
    fc.array(fc.oneof(flip, cut, drop, zero, insert, moveLine, confuse), { minLength: 1, maxLength: 8 }),
  )
  .map(([bytes, mutations]) => mutations.reduce((sum, mutation) => (sum.length === 0 ? sum : mutation(sum)), bytes));
