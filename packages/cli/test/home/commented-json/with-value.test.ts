/** A value put into a text with comments. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readCommentedJson } from "../../../src/home/commented-json/read-commented-json.ts";
import { withValue } from "../../../src/home/commented-json/with-value.ts";

test("FST6 comments, order and commas of what stands there stay", () => {
  const text = '{\n  // who speaks\n  "model": "a/b", /* for now */\n  "compaction": { "enabled": true },\n}\n';
  expect(withValue(text, ["model"], "c/d")).toBe(text.replace("a/b", "c/d"));
  expect(withValue(text, ["compaction", "enabled"], false)).toBe(text.replace("true", "false"));
  expect(withValue(text, ["thinking"], "high")).toBe(text.replace("{\n", '{\n  "thinking": "high",\n'));
  expect(withValue("{}", ["model"], "a/b")).toBe('{\n  "model": "a/b"\n}');
  expect(withValue('{ "a": 1 }', ["b"], 2)).toBe('{\n  "b": 2,\n  "a": 1 }');
});

test("FST6 a broken text is not touched, nor one where something on the way is no object", () => {
  expect(withValue("{", ["model"], "a/b")).toBeNull();
  expect(withValue('{ "compaction": 1 }', ["compaction", "enabled"], true)).toBeNull();
});

const flat = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer())));

test("FST6 whatever stands there, the value is there afterwards and all else is as it was", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(flat, fc.string())),
      fc.string(),
      fc.boolean(),
      (before, name, isWide) => {
        const after = withValue(JSON.stringify(before, null, isWide ? 2 : 0), [name], "new") ?? "";
        const read = readCommentedJson(after);
        expect(read.type === "object" && read.value).toEqual(
          Object.fromEntries([...Object.entries(before), [name, "new"]]),
        );
      },
    ),
  );
});
