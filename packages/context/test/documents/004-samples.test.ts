/** Document 004, its two hooks as programs: their input, and the effect of each answer (B73, B74). */

import { expect, test } from "vitest";
import {
  buildSessionContext,
  type CompactionHooks,
  compact,
  moveTo,
  type SessionBeforeCompactEvent,
  type SessionBeforeTreeEvent,
  type TreeHooks,
} from "../../src/index.ts";
import { show } from "../../src/testing/index.ts";
import { createSample, sampleLines } from "../support/document-sessions.ts";

test("HOOK1 B73 session_before_compact gets everything that the document lists", async () => {
  const parts = await createSample(...sampleLines);
  const events: SessionBeforeCompactEvent[] = [];
  const hooks: CompactionHooks = {
    session_before_compact: [
      async (event) => {
        events.push(event);
        return { cancel: true };
      },
    ],
  };
  const cancelled = await compact({ ...parts, hooks, reason: "asked", instructions: "the indexes" });
  expect(cancelled).toEqual({ type: "cancelled" });
  const [{ preparation, branchEntries, customInstructions, signal } = raise()] = events;
  expect(preparation).toEqual({
    messagesToSummarize: branchEntries.slice(0, 4).flatMap((entry) => ("message" in entry ? entry.message : [])),
    turnPrefixMessages: [],
    isSplitTurn: false,
    fileOps: { read: new Set(["schema.sql"]), written: new Set(), edited: new Set() },
    tokensBefore: preparation.tokensBefore,
    firstKeptEntryId: "e5",
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 30 },
  });
  expect(preparation.tokensBefore).toBeGreaterThan(1000);
  expect(branchEntries).toEqual(await parts.session.branchEntries());
  expect([customInstructions, signal.aborted]).toEqual(["the indexes", false]);
});

test("HOOK1 CMP3 B73 cancel in session_before_compact writes nothing", async () => {
  const parts = await createSample(...sampleLines);
  const hooks: CompactionHooks = { session_before_compact: [() => ({ cancel: true })] };
  expect(await compact({ ...parts, hooks, reason: "asked" })).toEqual({ type: "cancelled" });
  expect(await parts.session.branchEntries()).toHaveLength(6);
});

test("HOOK1 HOOK2 B73 the summary of a hook is what the model sees", async () => {
  const parts = await createSample(...sampleLines);
  const hooks: CompactionHooks = {
    session_before_compact: [
      async ({ preparation }) => ({
        compaction: {
          summary: "The schema has nine tables.",
          firstKeptEntryId: preparation.firstKeptEntryId,
          tokensBefore: preparation.tokensBefore,
          details: { tables: 9 },
        },
      }),
    ],
  };
  const outcome = await compact({ ...parts, hooks, reason: "asked" });
  const entry = outcome.type === "compacted" ? await parts.session.store.entry(outcome.id) : undefined;
  expect(entry).toMatchObject({ type: "compaction", fromHook: true, firstKeptEntryId: "e5", details: { tables: 9 } });
  const [front, ...kept] = show(buildSessionContext(parts.session.branch).messages).split("\n");
  expect(front).toContain("The schema has nine tables.");
  expect(kept).toEqual(["1 user      add an index", "2 assistant on which column?"]);
});

const branches = [...sampleLines, "moves: e4", "user: drop a table", "says: dropped"];

const customSummary: TreeHooks = {
  session_before_tree: [
    ({ preparation }) =>
      preparation.userWantsSummary ? { summary: { summary: "Dropping was tried.", details: { tried: 1 } } } : undefined,
  ],
};

test("HOOK1 B74 session_before_tree gets every move, with or without a summary", async () => {
  const events: SessionBeforeTreeEvent[] = [];
  const hooks: TreeHooks = {
    session_before_tree: [
      (event) => {
        events.push(event);
        return { cancel: true };
      },
    ],
  };
  for (const summary of [undefined, { models: [] }]) {
    const parts = await createSample(...branches);
    const moved = await moveTo({ ...parts, target: "e6", hooks, ...(summary && { summary }) });
    expect(moved).toEqual({ type: "cancelled" });
    expect(parts.session.leaf).toBe("e9");
  }
  const place = { targetId: "e6", oldLeafId: "e9", commonAncestorId: "e4" };
  expect(events.map(({ preparation }) => preparation)).toMatchObject([
    { ...place, userWantsSummary: false },
    { ...place, userWantsSummary: true },
  ]);
  expect(events[0]?.preparation.entriesToSummarize.map(({ id }) => id)).toEqual(["e8", "e9"]);
});

test("HOOK1 MOVE3 B74 the summary of session_before_tree is used if the user requested one", async () => {
  const parts = await createSample(...branches);
  const moved = await moveTo({ ...parts, target: "e6", hooks: customSummary, summary: { models: [] } });
  expect(moved).toMatchObject({ summary: { parentId: "e6", fromId: "e9", fromHook: true, details: { tried: 1 } } });
  expect(show(buildSessionContext(parts.session.branch).messages)).toMatch(/left {6}Dropping was tried\.$/);
});

test("HOOK1 B74 the summary of session_before_tree is not used if the user requested none", async () => {
  const parts = await createSample(...branches);
  const anyway: TreeHooks = { session_before_tree: [() => ({ summary: { summary: "Dropping was tried." } })] };
  for (const hooks of [customSummary, anyway]) {
    await moveTo({ ...parts, target: "e6", hooks });
    expect(show(buildSessionContext(parts.session.branch).messages)).toMatch(/assistant on which column\?$/);
    await moveTo({ ...parts, target: "e9" });
  }
});

function raise(): never {
  throw new Error("no hook was told anything");
}
