/** Tests text/compaction-text.ts: what a receipt says of the user's messages. */

import type { CompactionEntry, Receipt } from "@pith/context";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { expectLinearTime } from "../../../context/test/support/expect-speed.ts";
import { describeFinding, describeMessages, formatReceipt, listReceiptRows } from "../../src/text/compaction-text.ts";
import { createCommandContext } from "../support/command-context.ts";
import { earlyMessages, fillWithRules } from "../support/sample-sessions.ts";

test("MET23 a receipt says how many user messages are no longer shown, which ones, and where to see more", async () => {
  const context = await createCommandContext(earlyMessages);
  const receipt = await fillWithRules(context.agent.session);
  const notes = receipt.findings.filter(({ code }) => code.startsWith("user-messages-")).map(describeFinding);
  expect(notes).toEqual([
    "2 of your messages are no longer shown word for word; the summary carries over their rules: #1, #3 (see /rules)",
    expect.stringMatching(
      /^\d of your messages (?:is|are) shown only by (?:its|their) first words, and the summary does not carry over the rest: #\d+(?:, #\d+)* \(see \/rules\)$/,
    ),
    expect.stringMatching(
      /^\d+ of your messages are neither shown nor carried over by the summary: #\d+–#(\d+) \(see \/rules; \/pin #\1 brings one back\)$/,
    ),
  ]);
  expect(listReceiptRows(context.agent.session.branch.entries.findLast(isCompaction) as CompactionEntry)).toEqual(
    expect.arrayContaining(notes.map((note) => ["note", note])),
  );
  // A list of more than three findings is cut, so what the model can no longer read comes first.
  const line = formatReceipt({ ...receipt, findings: [...receipt.findings, ...receipt.findings].reverse() });
  expect(line).toMatch(/kept; (?:1 call; )?\d+ of your messages are (?:neither|shown only)/);
});

const isCompaction = ({ type }: { readonly type: string }): boolean => type === "compaction";

test("MET23 one message, many messages and ids are described in the same form", () => {
  const carried = (list: string) =>
    describeFinding({
      code: "user-messages-carried",
      note: `the summary now carries over rules of ${list}, which are no longer shown word for word`,
    });
  expect(carried("#5")).toBe(
    "1 of your messages is no longer shown word for word; the summary carries over its rules: #5 (see /rules)",
  );
  expect(carried("#1, #2, #3, #4, #5, #6, #7, entry:e8")).toContain("8 of your messages");
  expect(carried("#1, #2, #3, #4, #5, #6, #7, entry:e8")).toContain("#5, #6 and 2 more (see /rules)");
  const hidden = "Not shown and not carried over: 1 message, entry:e9; `read #N` opens one.";
  expect(describeFinding({ code: "user-messages-hidden", note: hidden })).toBe(
    "1 of your messages is neither shown nor carried over by the summary: entry:e9 (see /rules; /pin entry:e9 brings one back)",
  );
});

test("MET23 shortened messages share one note", async () => {
  const receipt = await fillWithRules((await createCommandContext(earlyMessages)).agent.session);
  const shortened = ["#4", "#9"].map((reference) => ({
    code: "user-messages-shortened" as const,
    note: `${reference} is shortened to its beginning and end`,
  }));
  expect(formatReceipt({ ...receipt, findings: shortened })).toMatch(
    /; 2 of your messages are shortened to their beginning and end: #4, #9$/,
  );
  expect(formatReceipt({ ...receipt, findings: shortened.slice(1) })).toMatch(/; #9 is shortened/);
});

test("MET23 notes of other versions and programs are shown unchanged", () => {
  const note = "2 user messages are no longer shown, but can be read again: #4, #9";
  expect(describeFinding({ code: "user-messages-evicted", note })).toBe(note);
  for (const code of ["user-messages-hidden", "user-messages-stubbed", "user-messages-carried", "toString"])
    expect(describeFinding({ code, note: "two are gone" })).toBe("two are gone");
  const [, entry] = story("user: go", "compacts: told, keeps nothing");
  const receipt = {
    ...({ reason: "due", route: "model", by: "p/m", calls: 1, cost: 0, durationMs: 1, withoutProgress: 0 } as const),
    ...{ covered: { count: 2 }, kept: { count: 1 }, tokens: { before: 9, after: 3 }, bytes: { before: 9, after: 3 } },
    findings: [{ code: "user-messages-evicted", note }],
  } as unknown as Receipt;
  expect(listReceiptRows({ ...(entry as CompactionEntry), details: { pith: { receipt } } })).toContainEqual([
    "note",
    note,
  ]);
  expect(formatReceipt(receipt)).toContain(note);
});

test("MET23 a note in a hostile file is parsed in linear time", () => {
  for (const piece of [": 1 message, ", "#1", "entry:a "])
    for (const code of ["user-messages-hidden", "user-messages-stubbed", "user-messages-carried"]) {
      const [small, large] = [piece.repeat(50_000), piece.repeat(200_000)];
      expectLinearTime(
        () => describeFinding({ code, note: small }),
        () => describeFinding({ code, note: large }),
      );
    }
});

test("MET23 a preview says how many messages stay and how many are summarized", () => {
  expect(describeMessages({ staying: 12, leaving: 3 })).toBe(
    "12 of your messages stay word for word; 3 others do not fit whole, and the summary is asked to carry over their rules",
  );
  expect(describeMessages({ staying: 1, leaving: 1 })).toBe(
    "1 of your messages stays word for word; 1 other does not fit whole, and the summary is asked to carry over its rules",
  );
  expect(describeMessages({ staying: 5, leaving: 0 })).toBe("5 of your messages stay word for word");
  expect(describeMessages({ staying: 0, leaving: 0 })).toBeNull();
});
