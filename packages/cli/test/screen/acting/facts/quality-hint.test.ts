/** What is said of a compaction that may have lost something. */

import type { CompactionEntry } from "@pith/context";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { qualityHint } from "../../../../src/screen/acting/facts/quality-hint.ts";

function compaction(receipt: object): readonly [CompactionEntry] {
  const entry = story("user: go", "compacts: told, keeps nothing").find(({ type }) => type === "compaction");
  if (entry?.type !== "compaction") throw new Error("no compaction");
  const whole = {
    route: "model",
    withoutProgress: 0,
    tokens: { before: 9, after: 3, limit: null },
    findings: [],
    ...receipt,
  };
  return [{ ...entry, details: { pith: { receipt: whole } } }];
}

test("MET15 a second compaction says in one line how to begin afresh, and a flaw where to look", () => {
  expect(qualityHint(compaction({}), { compactions: 1 })).toBeUndefined();
  expect(qualityHint(compaction({}), { compactions: 2 })).toMatch(/^Summed up 2 times.*\/handoff/);
  expect(qualityHint(compaction({ route: "model-free" }), { compactions: 1 })).toContain("No model told it");
  expect(
    qualityHint(compaction({ findings: [{ code: "unknown-id", note: "e9 is not there" }] }), { compactions: 1 }),
  ).toContain("mended");
  expect(
    qualityHint(compaction({ findings: [{ code: "words-evicted", note: "2 of your messages" }] }), { compactions: 1 }),
  ).toBeUndefined();
});

test("MET15 in the middle of work the line names the keys, since its receipt is printed without them", () => {
  expect(qualityHint(compaction({}), { compactions: 1, isRunning: true })).toBe(
    "Compacted. Alt+U undoes it; Alt+S shows what the model sees now.",
  );
});

test("MET15 the line goes when the talk goes on", () => {
  expect(qualityHint(story("user: on"), { compactions: 2 })).toBeNull();
  expect(qualityHint(story("says: yes"), { compactions: 2 })).toBeUndefined();
});
