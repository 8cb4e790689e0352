/** How much of a left branch there is room for. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { collectEntriesForBranchSummary, type LeftBranch } from "../../src/branching/collect-entries.ts";
import { prepareBranchEntries } from "../../src/branching/prepare-entries.ts";
import type { Entry } from "../../src/entry.ts";
import { latestEdit } from "../../src/reading/latest-edit.ts";
import { entryTokens } from "../../src/reading/tokens/context-size.ts";
import { uncalibrated } from "../../src/reading/tokens/fit.ts";
import { story } from "../../src/testing/story.ts";
import { life } from "../properties/commands.ts";
import { livedThrough } from "./told-session.ts";

type Left = Pick<LeftBranch, "entries" | "edits">;

const left = (...lines: readonly string[]): Left => {
  const entries = story(...lines);
  return { entries, edits: entries.filter((entry) => entry.type === "context_edit") };
};
const sizeOf = ({ entries, edits }: Left, ids: string): number =>
  entries
    .filter(({ id }) => ids.split(" ").includes(id))
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(edits, entry), uncalibrated), 0);
const prepared = (branch: Left, tokens: number): readonly string[] => {
  const { entries, left } = prepareBranchEntries(branch, { tokens });
  return [entries.map(({ id }) => id).join(" "), left.join(" ")];
};
const long = "many words that take some room ".repeat(20);

const talk = left("user: one", "says: two", `user: ${long}`, "says: four", "user: five");

test("BR2 the newest come in while there is room, in the order they had", () => {
  const room = sizeOf(talk, "e4 e5");
  expect(prepared(talk, room)).toEqual(["e4 e5", "e1 e2 e3"]);
  expect(prepared(talk, room - 1)).toEqual(["e5", "e1 e2 e3 e4"]);
  expect(prepared(talk, 0)).toEqual(["", "e1 e2 e3 e4 e5"]);
});

test("BR2 it stops at the first that does not fit, whatever lies behind it", () => {
  const room = sizeOf(talk, "e1 e2 e4 e5");
  expect(prepared(talk, room)).toEqual(["e4 e5", "e1 e2 e3"]);
});

test("BR2 with all the room there is nothing is left", () => {
  expect(prepared(talk, Number.POSITIVE_INFINITY)).toEqual(["e1 e2 e3 e4 e5", ""]);
  expect(prepared(talk, sizeOf(talk, "e1 e2 e3 e4 e5"))).toEqual(["e1 e2 e3 e4 e5", ""]);
  expect(prepared({ entries: [], edits: [] }, 0)).toEqual(["", ""]);
});

test("BR2 calls and results are not parted, and what stands between goes with them", () => {
  const work = left("user: one", "calls: read; bash", "result: a", "note: meanwhile", "result: b", "says: done");
  const exchange = sizeOf(work, "e2 e3 e4 e5 e6");
  expect(prepared(work, exchange)).toEqual(["e2 e3 e4 e5 e6", "e1"]);
  expect(prepared(work, exchange - 1)).toEqual(["e6", "e1 e2 e3 e4 e5"]);
});

test("BR2 results whose call both branches share come in by themselves", () => {
  const work = left("calls: read", "result: a", "says: done");
  const behindCall: Left = { ...work, entries: work.entries.slice(1) };
  expect(prepared(behindCall, sizeOf(work, "e2 e3"))).toEqual(["e2 e3", ""]);
});

const summaries = left(
  "compacts: before, keeps nothing",
  "user: one",
  "left e9: another try",
  `user: ${long}`,
  "says: so",
);

test("BR2 summaries further back are taken in where they fit", () => {
  const room = sizeOf(summaries, "e1 e3 e5");
  expect(prepared(summaries, room)).toEqual(["e1 e3 e5", "e2 e4"]);
  expect(prepared(summaries, room - 1)).toEqual(["e3 e5", "e1 e2 e4"]);
  expect(prepared(summaries, sizeOf(summaries, "e3 e5") - 1)).toEqual(["e5", "e1 e2 e3 e4"]);
});

test("BR2 but not where nine tenths of the room are used", () => {
  const almost = left("left e9: no", `user: ${long}`, `says: ${"so it was done ".repeat(90)}`);
  const used = sizeOf(almost, "e3");
  const room = used + sizeOf(almost, "e1");
  expect(used / room).toBeGreaterThan(0.9);
  expect(prepared(almost, room)).toEqual(["e3", "e1 e2"]);
});

test("BR2 what the model did not see takes no room and is not missed", () => {
  const quiet = left(
    `system: ${long}`,
    "names: a name",
    "user: one",
    `fails to answer: ${long}`,
    `note: ${long}`,
    "drops e5",
    "says: two",
  );
  const room = sizeOf(quiet, "e3 e7");
  expect(prepared(quiet, room)).toEqual(["e1 e2 e3 e4 e5 e6 e7", ""]);
  expect(prepared(quiet, room - 1)).toEqual(["e4 e5 e6 e7", "e3"]);
});

test("BR2 an entry counts as it was edited", () => {
  const edited = left(`user: ${long}`, "edits e1: short", "says: two");
  expect(prepared(edited, sizeOf(edited, "e1 e3"))).toEqual(["e1 e2 e3", ""]);
  expect(sizeOf(edited, "e1")).toBeLessThan(30);
});

test("BR2 on any tree and for any room: within it, each once, nothing parted, nothing lost", async () => {
  await fc.assert(
    fc.asyncProperty(life, fc.nat(600), async (life, tokens) => {
      const { store } = await livedThrough(life);
      const branch = await collectEntriesForBranchSummary(store, await store.leaf(), null);
      const { entries, left } = prepareBranchEntries(branch, { tokens });
      const taken = new Set(entries);
      expect(entries).toEqual(branch.entries.filter((entry) => taken.has(entry)));
      const size = (entry: Entry): number => (isSystem(entry) ? 0 : sizeOf(branch, entry.id));
      expect(entries.reduce((sum, entry) => sum + size(entry), 0)).toBeLessThanOrEqual(tokens);
      const missing = branch.entries.filter((entry) => size(entry) > 0 && !taken.has(entry));
      expect(left).toEqual(missing.map(({ id }) => id));
      expectWhole(
        branch.entries.filter((entry) => size(entry) > 0),
        taken,
      );
      expect(prepareBranchEntries(branch, { tokens: Number.POSITIVE_INFINITY })).toEqual({
        entries: branch.entries,
        left: [],
      });
    }),
    { numRuns: 700 },
  );
});

// A result that is taken has the reply before it with it, where there is one.
function expectWhole(seen: readonly Entry[], taken: ReadonlySet<Entry>): void {
  for (const [at, entry] of seen.entries()) {
    if (entry.type !== "message" || entry.message.role !== "toolResult" || !taken.has(entry)) continue;
    const reply = seen.slice(0, at).findLast(isReply);
    if (reply) expect(taken.has(reply), `${entry.id} without ${reply.id}`).toBe(true);
  }
}

const roleOf = (entry: Entry): string | undefined => ("message" in entry ? entry.message.role : undefined);
const isReply = (entry: Entry): boolean => roleOf(entry) === "assistant";
const isSystem = (entry: Entry): boolean => roleOf(entry) === "system";
