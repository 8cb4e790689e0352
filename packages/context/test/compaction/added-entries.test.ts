/** Proves what hooks may put behind an act: state and messages of their own, and nothing else. */

import { describe, expect, test } from "vitest";
import { parseHookEntries } from "../../src/compaction-hooks/added-entries.ts";

const added = (...entries: readonly unknown[]) => parseHookEntries({ entries }, { tokens: 150 });
const note = { type: "custom_message", customType: "note", content: "remember", display: true };

describe("parseHookEntries accepts", () => {
  test.each([[undefined], [null], [7], ["text"], [{}], [{ entries: null }], [{ entries: undefined }]])(
    "HOOK5 %j as no entries",
    (result) => {
      expect(parseHookEntries(result, { tokens: 150 })).toBeNull();
    },
  );

  test("HOOK5 messages and state, without ids, parents and unknown fields", () => {
    expect(
      added(
        { ...note, id: "mine", parentId: "e1", timestamp: "then", more: 1 },
        { type: "custom_message", customType: "note", content: "hidden", display: false, details: { from: "here" } },
        { type: "custom_message", customType: "note", content: "shown", details: ["no object"] },
        { type: "custom", customType: "state", data: { list: [1, undefined] } },
        { type: "custom", customType: "mark" },
      ),
    ).toStrictEqual([
      note,
      { type: "custom_message", customType: "note", content: "hidden", display: false, details: { from: "here" } },
      { type: "custom_message", customType: "note", content: "shown", display: true },
      { type: "custom", customType: "state", data: { list: [1, null] } },
      { type: "custom", customType: "mark" },
    ]);
  });

  test("HOOK5 entries as copies, unaffected by later changes of the hook", () => {
    const state = { type: "custom", customType: "state", data: { count: 1 } };
    const taken = added(state);
    state.data.count = 2;
    expect(taken).toStrictEqual([{ type: "custom", customType: "state", data: { count: 1 } }]);
  });
});

describe("parseHookEntries rejects", () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;

  test.each<[string, unknown, string]>([
    [
      "Pith's own state",
      { type: "custom", customType: "pith.leaf" },
      'its entry needs a "customType" that does not start with "pith."',
    ],
    [
      "Pith's own message",
      { ...note, customType: "pith.pin" },
      'its entry needs a "customType" that does not start with "pith."',
    ],
    ["no type", { type: "custom" }, 'its entry needs a "customType" that does not start with "pith."'],
    ["an empty type", { ...note, customType: "" }, 'its entry needs a "customType" that does not start with "pith."'],
    ["nothing", null, 'its entry needs a "customType" that does not start with "pith."'],
    [
      "a message of the user",
      { ...note, type: "message" },
      'its entry is neither "custom" nor a "custom_message" with text',
    ],
    ["a compaction", { ...note, type: "compaction" }, 'its entry is neither "custom" nor a "custom_message" with text'],
    ["an edit", { ...note, type: "context_edit" }, 'its entry is neither "custom" nor a "custom_message" with text'],
    [
      "a message without text",
      { ...note, content: 7 },
      'its entry is neither "custom" nor a "custom_message" with text',
    ],
    [
      "a ring",
      { type: "custom", customType: "x", data: ring },
      "its details are not JSON of at most 262144 characters",
    ],
  ])("HOOK5 all entries if one is %s", (_, entry, why) => {
    expect(() => added(note, entry)).toThrow(why);
  });

  test("HOOK5 entries that are not an array", () => {
    expect(() => parseHookEntries({ entries: note }, { tokens: 150 })).toThrow("its entries are not an array");
  });

  test("HOOK5 one entry or many with more tokens than the limit", () => {
    expect(() => added({ ...note, content: "word ".repeat(200) })).toThrow(
      /^its entries have \d+ tokens; the limit is 150$/,
    );
    expect(() => added(...Array.from({ length: 50 }, () => note))).toThrow(/the limit is 150$/);
    expect(() => added({ type: "custom", customType: "x", data: { text: "word ".repeat(200) } })).toThrow(
      /the limit is 150$/,
    );
    expect(added({ ...note, content: "word ".repeat(50) })).toHaveLength(1);
  });
});
