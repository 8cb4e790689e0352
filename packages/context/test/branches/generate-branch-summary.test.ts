/** Tests branches/generate-branch-summary.ts: collect entries, prepare entries. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  collectEntriesForBranchSummary,
  type OldBranch,
  selectBranchEntries,
} from "../../src/branches/generate-branch-summary.ts";
import { buildSessionContext, entryMessage, latestEdit } from "../../src/context/build-context.ts";
import { defaultCalibration } from "../../src/context/calibration.ts";
import { entryTokens } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import type { Store } from "../../src/session/store.ts";
import { story } from "../../src/testing/story.ts";
import { commandSequences } from "../properties/commands.ts";
import { pick } from "../properties/drafts.ts";
import { plainBranch } from "../properties/plain-model.ts";
import { createSession } from "../support/small-session.ts";
import { isLong } from "../support/test-length.ts";
import { allEntries, randomSession } from "./random-session.ts";

describe("collect entries", () => {
  const ids = (entries: readonly Pick<Entry, "id">[]): string => entries.map(({ id }) => id).join(" ");
  const shortly = ({ entries, commonAncestorId, edits }: OldBranch): readonly unknown[] => [
    ids(entries),
    commonAncestorId,
    ids(edits),
  ];
  const leftBy = async (from: string | null, to: string | null, ...lines: readonly string[]): Promise<unknown> =>
    shortly(await collectEntriesForBranchSummary((await createSession(...lines)).store, from, to));

  //  e1 ─ e2 ─ e3 ─ e4
  //        └── e5 ─ e6
  const twoBranches = ["user: a", "says: b", "user: c", "says: d", "moves: e2", "user: e"];

  test("BR1 TREE8 the entries left behind are those after the deepest shared ancestor", async () => {
    const { store } = await createSession(...twoBranches);
    const left = await collectEntriesForBranchSummary(store, "e4", "e6");
    expect(left).toEqual({
      entries: [await store.entry("e3"), await store.entry("e4")],
      commonAncestorId: "e2",
      edits: [],
    });
  });

  test.each([
    ["to an earlier place of its own", "e4", "e1", ["e2 e3 e4", "e1", ""]],
    ["to another branch", "e6", "e4", ["e5 e6", "e2", ""]],
    ["before the first entry", "e6", null, ["e1 e2 e5 e6", null, ""]],
  ])("BR1 collects the entries left by a move %s", async (_, from, to, left) => {
    expect(await leftBy(from, to, ...twoBranches)).toEqual(left);
  });

  test("BR1 branches from two roots share nothing, and all of the old one is left", async () => {
    expect(await leftBy("e2", "e4", "user: a", "says: b", "moves: root", "user: c")).toEqual(["e1 e2", null, ""]);
  });

  test.each([
    ["the leaf and the target are the same", "e4", "e4", "e4"],
    ["the target is a descendant of the leaf", "e2", "e4", "e2"],
    ["there was no leaf", null, "e4", null],
    ["there is neither a leaf nor a target", null, null, null],
  ])("INV37 nothing is left behind if %s", async (_, from, to, ancestor) => {
    expect(await leftBy(from, to, ...twoBranches)).toEqual(["", ancestor, ""]);
  });

  test("INV37 a leaf that is not in the session throws an error with its id", async () => {
    await expect(leftBy("nobody", "e1", ...twoBranches)).rejects.toThrow("entry nobody is not in this session");
  });

  //  e1 ─ … ─ e7(covers e1 to e4) ─ e8
  const compacted = [
    "user: a",
    "says: b",
    "user: c",
    "says: d",
    "user: e",
    "says: f",
    "compacts: a to d, keeps e5",
    "user: g",
  ];

  test.each([
    ["before what it covers: the compaction comes first, then what it kept", "e2", ["e7 e5 e6 e8", "e2", ""]],
    ["at the last that it covers: both branches share all of it", "e4", ["e5 e6 e8", "e4", ""]],
    ["within what it kept: of that only what was left", "e5", ["e6 e8", "e5", ""]],
    ["right before the compaction", "e6", ["e8", "e6", ""]],
    ["right after the compaction", "e7", ["e8", "e7", ""]],
    ["before everything", null, ["e7 e5 e6 e8", null, ""]],
  ])("BR1 collects the entries around a compaction if the branches part %s", async (_, to, left) => {
    expect(await leftBy("e8", to, ...compacted)).toEqual(left);
  });

  test("BR1 of several compactions only the newest is collected", async () => {
    const twice = [...compacted, "says: h", "compacts: all but g, keeps e6", "user: i"];
    expect(await leftBy("e11", "e1", ...twice)).toEqual(["e10 e6 e8 e9 e11", "e1", ""]);
    expect(await leftBy("e11", "e5", ...twice)).toEqual(["e6 e8 e9 e11", "e5", ""]);
  });

  test("BR1 a compaction that keeps nothing stands for everything before it", async () => {
    const short = ["user: a", "says: b", "user: c", "compacts: all, keeps nothing", "user: d"];
    expect(await leftBy("e5", "e1", ...short)).toEqual(["e4 e5", "e1", ""]);
    expect(await leftBy("e5", "e3", ...short)).toEqual(["e5", "e3", ""]);
  });

  test("BR1 edits of entries that are left are collected; edits of shared entries are not", async () => {
    const edited = ["user: a", "says: b", "user: c", "edits e1: A", "edits e3: C", "drops e3", "says: d"];
    expect(await leftBy("e7", "e2", ...edited)).toEqual(["e3 e4 e5 e6 e7", "e2", "e5 e6"]);
    expect(await leftBy("e4", "e2", ...edited)).toEqual(["e3 e4", "e2", ""]);
  });

  test("INV36 BR1 for any tree, the entries between are collected once each, with compactions respected", async () => {
    await fc.assert(
      fc.asyncProperty(
        commandSequences,
        fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }),
        async (commands, pairs) => {
          const session = await randomSession(commands);
          const { store } = session;
          const all = allEntries(session);
          for (const [one, other] of pairs) {
            const oldLeaf = pick(all, one)?.id ?? null;
            const target = other % 9 === 0 ? null : (pick(all, other)?.id ?? null);
            const left = await collectEntriesForBranchSummary(store, oldLeaf, target);
            expect(left.entries).toEqual(plainlyLeft(all, oldLeaf, target));
            await expectSeen(store, oldLeaf, left);
          }
        },
      ),
      { numRuns: isLong ? 700 : 150 },
    );
  });

  /** Rows B65 and 36, word for word. */
  function plainlyLeft(all: readonly Entry[], oldLeaf: string | null, target: string | null): readonly Entry[] {
    const session = { entries: all, leaf: null };
    const path = plainBranch(session, oldLeaf);
    const other = new Set(plainBranch(session, target));
    const shared = path.filter((entry) => other.has(entry)).length;
    const between = path.slice(shared);
    const at = path.findLastIndex((entry) => entry.type === "compaction");
    const compaction = path[at];
    if (compaction?.type !== "compaction" || at < shared) return between;
    const named = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
    const kept = named === -1 || named > at ? at : named;
    const others = (entries: readonly Entry[]): readonly Entry[] => entries.filter(({ type }) => type !== "compaction");
    return kept <= shared ? others(between) : [compaction, ...others(path.slice(kept))];
  }

  /** What is left gives the messages that the context at the old leaf has of it: no more, no fewer, in that order. */
  async function expectSeen(store: Store, oldLeaf: string | null, left: OldBranch): Promise<void> {
    const { messages, sources } = buildSessionContext(await store.loadBranch(oldLeaf));
    const own = new Set(left.entries.map(({ id }) => id));
    const ownMessages = messages.filter(({ role }, at) => own.has(sources[at] ?? "") && role !== "system");
    const given = left.entries.map((entry) => entryMessage(entry, latestEdit(left.edits, entry)));
    // The system's words are folded into a compaction.
    expect(given.filter((message) => message && message.role !== "system")).toEqual(ownMessages);
  }
});

describe("prepare entries", () => {
  type Left = Pick<OldBranch, "entries" | "edits">;

  const left = (...lines: readonly string[]): Left => {
    const entries = story(...lines);
    return { entries, edits: entries.filter((entry) => entry.type === "context_edit") };
  };
  const sizeOf = ({ entries, edits }: Left, ids: string): number =>
    entries
      .filter(({ id }) => ids.split(" ").includes(id))
      .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(edits, entry), defaultCalibration), 0);
  const prepared = (branch: Left, tokens: number): readonly string[] => {
    const { entries, omittedIds: left } = selectBranchEntries(branch, { tokens });
    return [entries.map(({ id }) => id).join(" "), left.join(" ")];
  };
  const long = "many words that take some room ".repeat(20);

  const oldBranch = left("user: one", "says: two", `user: ${long}`, "says: four", "user: five");

  test("BR2 the newest entries are taken up to the limit, in their order", () => {
    const room = sizeOf(oldBranch, "e4 e5");
    expect(prepared(oldBranch, room)).toEqual(["e4 e5", "e1 e2 e3"]);
    expect(prepared(oldBranch, room - 1)).toEqual(["e5", "e1 e2 e3 e4"]);
    expect(prepared(oldBranch, 0)).toEqual(["", "e1 e2 e3 e4 e5"]);
  });

  test("BR2 taking stops at the first entry that does not fit", () => {
    const room = sizeOf(oldBranch, "e1 e2 e4 e5");
    expect(prepared(oldBranch, room)).toEqual(["e4 e5", "e1 e2 e3"]);
  });

  test("BR2 with enough room every entry is taken", () => {
    expect(prepared(oldBranch, Number.POSITIVE_INFINITY)).toEqual(["e1 e2 e3 e4 e5", ""]);
    expect(prepared(oldBranch, sizeOf(oldBranch, "e1 e2 e3 e4 e5"))).toEqual(["e1 e2 e3 e4 e5", ""]);
    expect(prepared({ entries: [], edits: [] }, 0)).toEqual(["", ""]);
  });

  test("BR2 a call is taken together with its results and everything between them", () => {
    const work = left("user: one", "calls: read; bash", "result: a", "note: meanwhile", "result: b", "says: done");
    const exchange = sizeOf(work, "e2 e3 e4 e5 e6");
    expect(prepared(work, exchange)).toEqual(["e2 e3 e4 e5 e6", "e1"]);
    expect(prepared(work, exchange - 1)).toEqual(["e6", "e1 e2 e3 e4 e5"]);
  });

  test("BR2 results whose call is on the shared part are taken without it", () => {
    const work = left("calls: read", "result: a", "says: done");
    const behindCall: Left = { ...work, entries: work.entries.slice(1) };
    expect(prepared(behindCall, sizeOf(work, "e2 e3"))).toEqual(["e2 e3", ""]);
  });

  const summaries = left(
    "compacts: before, keeps nothing",
    "user: one",
    "left e9: another try",
    `user: ${long.repeat(3)}`,
    "says: so",
  );

  test("BR2 older branch summaries are taken where they fit", () => {
    const room = sizeOf(summaries, "e1 e3 e5");
    expect(prepared(summaries, room)).toEqual(["e1 e3 e5", "e2 e4"]);
    expect(prepared(summaries, room - 1)).toEqual(["e3 e5", "e1 e2 e4"]);
    expect(prepared(summaries, sizeOf(summaries, "e3 e5") - 1)).toEqual(["e5", "e1 e2 e3 e4"]);
  });

  test("BR2 older branch summaries are left out once nine tenths of the room are used", () => {
    const almost = left("left e9: no", `user: ${long}`, `says: ${"so it was done ".repeat(110)}`);
    const used = sizeOf(almost, "e3");
    const room = used + sizeOf(almost, "e1");
    expect(used / room).toBeGreaterThan(0.9);
    expect(prepared(almost, room)).toEqual(["e3", "e1 e2"]);
  });

  test("BR2 entries that the model did not see take no room and are not reported as left out", () => {
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

  test("BR2 an edited entry counts with its new size", () => {
    const edited = left(`user: ${long}`, "edits e1: short", "says: two");
    expect(prepared(edited, sizeOf(edited, "e1 e3"))).toEqual(["e1 e2 e3", ""]);
    expect(sizeOf(edited, "e1")).toBeLessThan(30);
  });

  test("BR2 for any tree and any limit, the entries fit, are unique, and no call is separated from its results", async () => {
    await fc.assert(
      fc.asyncProperty(commandSequences, fc.nat(600), async (commands, tokens) => {
        const { store } = await randomSession(commands);
        const branch = await collectEntriesForBranchSummary(store, await store.leaf(), null);
        const { entries, omittedIds: left } = selectBranchEntries(branch, { tokens });
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
        expect(selectBranchEntries(branch, { tokens: Number.POSITIVE_INFINITY })).toEqual({
          entries: branch.entries,
          omittedIds: [],
        });
      }),
      { numRuns: isLong ? 700 : 150 },
    );
  });

  // A result that is taken has the reply before it with it, where there is one.
  function expectWhole(kept: readonly Entry[], taken: ReadonlySet<Entry>): void {
    for (const [at, entry] of kept.entries()) {
      if (entry.type !== "message" || entry.message.role !== "toolResult" || !taken.has(entry)) continue;
      const reply = kept.slice(0, at).findLast(isReply);
      if (reply) expect(taken.has(reply), `${entry.id} without ${reply.id}`).toBe(true);
    }
  }

  const roleOf = (entry: Entry): string | undefined => ("message" in entry ? entry.message.role : undefined);
  const isReply = (entry: Entry): boolean => roleOf(entry) === "assistant";
  const isSystem = (entry: Entry): boolean => roleOf(entry) === "system";
});
