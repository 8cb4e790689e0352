/** Tests that a member of a JSON text can be set while every other byte stays. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exceedsDepth, findMemberSpans, setJsonMembers } from "../../src/format/edit-json-text.ts";

describe("LOG6 setting a member of an object", () => {
  test.each([
    ["in place", '{"a":1,"id":"x","b":2}', '{"a":1,"id":7,"b":2}'],
    ["a new member, in front", '{"a":1}', '{"id":7,"a":1}'],
    ["in an empty object", "{}", '{"id":7}'],
    ["in an empty object with space in it", "{ \t}", '{"id":7 \t}'],
    ["between spaces of any kind", '{ "id" \t:\r "x" , "b":2 }', '{ "id" \t:\r 7 , "b":2 }'],
    ["a name that occurs twice, the last one", '{"id":1,"id":2}', '{"id":1,"id":7}'],
    ["not the member inside another", '{"a":{"id":1},"id":2}', '{"a":{"id":1},"id":7}'],
    ["not the member inside a list", '{"a":[{"id":1}]}', '{"id":7,"a":[{"id":1}]}'],
    ["not the text inside a string", '{"a":"\\"id\\":1,","id":2}', '{"a":"\\"id\\":1,","id":7}'],
    ["whose name is written with escapes", '{"\\u0069d":1}', '{"\\u0069d":7}'],
    ["after a string that ends in backslashes", '{"a":"\\\\\\\\","id":1}', '{"a":"\\\\\\\\","id":7}'],
    ["beside inherited property names", '{"constructor":1,"__proto__":2}', '{"id":7,"constructor":1,"__proto__":2}'],
  ])("changes the text only there: %s", (_, text, changed) => {
    expect(setJsonMembers(text, { id: "7" })).toBe(changed);
  });

  test("LOG6 sets several members at once, each in place", () => {
    const changed = setJsonMembers('{"b":[1.0], "a":1e3}', { a: "null", b: '"x"', c: "{}", d: "0" });
    expect(changed).toBe('{"c":{},"d":0,"b":"x", "a":null}');
  });

  test("LOG6 without changes returns the same text", () => {
    expect(setJsonMembers('{ "a" : 1.0 }', {})).toBe('{ "a" : 1.0 }');
  });

  test("LOG6 changes exactly that member, and no byte outside it", () => {
    fc.assert(
      fc.property(writtenObject, name, fc.jsonValue(), ({ text }, member, value) => {
        const changed = setJsonMembers(text, { [member]: JSON.stringify(value) });
        expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), [member]: JSON.parse(JSON.stringify(value)) });
        expect(isOneEdit({ text, changed, member, json: JSON.stringify(value) })).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("LOG6 the members of an object", () => {
  test("LOG6 have the spans of their values", () => {
    const text = '{"a":1.0,"b":"}\\"","c":[{"a":2},"]"] ,"d":{"e":{}}}';
    const found = [...findMemberSpans(text)].map(([member, { start, end }]) => [member, text.slice(start, end)]);
    expect(found).toEqual([
      ["a", "1.0"],
      ["b", '"}\\""'],
      ["c", '[{"a":2},"]"]'],
      ["d", '{"e":{}}'],
    ]);
  });

  test("LOG6 are the same as those of the JSON parser", () => {
    fc.assert(
      fc.property(writtenObject, ({ text }) => {
        const found = [...findMemberSpans(text)].map(([member, { start, end }]) => [
          member,
          JSON.parse(text.slice(start, end)),
        ]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("D12 nesting", () => {
  test.each([
    ["a flat object", '{"a":1}', 1],
    ["lists in lists", "[[[]]]", 3],
    ["side by side", '{"a":[1],"b":[[2]],"c":{}}', 3],
    ["brackets inside strings do not count", '{"a":"[[[[{{{{"}', 1],
    ["nor behind an escaped quote", '{"a":"\\"[[[[","b":[]}', 2],
    ["but behind a string that ends in a backslash", '{"a":"\\\\","b":[[]]}', 3],
    ["text that was cut off", '{"a":[[', 3],
    ["a string that never ends", '{"a":"[[[[', 1],
    ["more closed than opened", "]]]][", 0],
    ["nothing at all", "", 0],
  ])("D12 is measured in any text: %s", (_, text, depth) => {
    expect([exceedsDepth(text, depth), depth === 0 || exceedsDepth(text, depth - 1)]).toEqual([false, true]);
  });
});

const name = fc.oneof(fc.constantFrom("id", "parentId", "a", "message", ""), fc.string({ unit: "binary" }));

/** An object with names that come back inside its values, written in one of many ways that mean the same. */
const writtenObject = fc
  .record({
    value: fc.dictionary(name, fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.jsonValue(), { maxKeys: 4 })), {
      maxKeys: 6,
    }),
    space: fc.constantFrom(0, 1, "\t", "  "),
    escapes: fc.boolean(),
    lineEnd: fc.constantFrom("\n", "\r\n", ""),
  })
  .map(({ value, space, escapes, lineEnd }) => {
    const pretty = JSON.stringify(value, null, space).replaceAll("\n", lineEnd);
    return { text: escapes ? withEscapes(pretty) : pretty };
  });

/** Every string written the long way: escapes that a parser undoes, and that must come through untouched. */
function withEscapes(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (written) => {
    const letters = (JSON.parse(written) as string).split("");
    return `"${letters.map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
  });
}

interface Edit {
  readonly text: string;
  readonly changed: string;
  readonly member: string;
  readonly json: string;
}

/** Whether the texts differ by one value, the member's: found by trying every place, not by asking the code under test. */
function isOneEdit({ text, changed, member, json }: Edit): boolean {
  const old = JSON.parse(text) as Record<string, unknown>;
  const rest = text.slice(1);
  const added = `{${JSON.stringify(member)}:${json}`;
  if (!Object.hasOwn(old, member)) return changed === `${added},${rest}` || changed === `${added}${rest}`;
  return Array.from(text.split(""), (_, start) => start).some((start) => {
    const end = text.length - (changed.length - start - json.length);
    const same = changed === text.slice(0, start) + json + text.slice(end);
    return same && JSON.stringify(parsed(text.slice(start, end))) === JSON.stringify(old[member]);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a whole value: not the place that was looked for.
    return undefined;
  }
}
