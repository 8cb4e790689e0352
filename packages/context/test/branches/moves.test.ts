/** Whatever was moved, left and summarized before: what a leaf shows depends on its branch alone. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import type { Entry } from "../../src/entry.ts";
import type { NewEntry, Session } from "../../src/session/session.ts";
import { commandSequences } from "../properties/commands.ts";
import { pick } from "../properties/drafts.ts";
import { plainContext } from "../properties/plain-model.ts";
import { isLong } from "../support/test-length.ts";
import {
  allEntries,
  branchSummaryEntry,
  randomSession,
  reopenSession,
  sessionBytes,
  userEntry,
} from "./random-session.ts";

const contextJson = ({ branch: window }: Session): string => JSON.stringify(buildSessionContext(window).messages);
const placeIn = (all: readonly Entry[], which: number): string | null =>
  which % 9 === 0 ? null : (pick(all, which)?.id ?? null);
const runs = { numRuns: isLong ? 400 : 100 };

test("INV34 MOVE1 moving to before a compaction restores the context of that time", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      const session = await randomSession(commands);
      const all = allEntries(session);
      for (const [at, { type, parentId }] of all.entries()) {
        if (type !== "compaction") continue;
        await session.move(parentId);
        const then = plainContext({ entries: all.slice(0, at), leaf: parentId }, parentId);
        expect(contextJson(session)).toBe(JSON.stringify(then));
      }
    }),
    runs,
  );
});

test("INV35 MOVE3 leaving a branch and returning gives the same context as staying", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, fc.nat(), fc.boolean(), async (commands, which, summarized) => {
      const stayed = await randomSession(commands);
      const { leaf } = stayed;
      const left = await reopenSession(sessionBytes(stayed));
      await left.move(placeIn(allEntries(left), which), summarized ? { newEntries: [branchSummaryEntry(leaf)] } : {});
      await left.append(userEntry("elsewhere"), compaction);
      await left.move(leaf);
      expect(contextJson(left)).toBe(contextJson(stayed));
      expect(left.branch.state).toEqual(stayed.branch.state);

      for (const session of [stayed, left]) await session.append(userEntry("go on"));
      expect(timeless(left)).toBe(timeless(stayed));
    }),
    runs,
  );
});

test("INV38 FORK2 a fork of a leaf below a branch summary has the same context", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, fc.nat(), async (commands, which) => {
      const session = await randomSession(commands);
      await session.move(placeIn(allEntries(session), which), { newEntries: [branchSummaryEntry(session.leaf)] });
      await session.append(userEntry("go on"));
      const copy = await reopenSession(await session.fork());
      expect(contextJson(copy)).toBe(contextJson(session));
      expect(copy.branch.state).toEqual(session.branch.state);
    }),
    runs,
  );
});

test("MOVE3 a branch summary below any entry becomes the leaf, and the context has that entry and the summary", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, fc.nat(), async (commands, which) => {
      const session = await randomSession(commands);
      const all = allEntries(session);
      const target = placeIn(all, which);
      const before = plainContext({ entries: all, leaf: target }, target);
      const moved = await session.move(target, { newEntries: [branchSummaryEntry(session.leaf)] });
      const leaf = session.leaf ?? "";
      expect(moved).toEqual({ type: "appended", leaf });
      expect(await session.store.entry(leaf)).toMatchObject({ type: "branch_summary", parentId: target });
      const [summary, ...above] = buildSessionContext(session.branch).messages.toReversed();
      expect(summary).toMatchObject({ role: "branchSummary", summary: "it was tried and left" });
      expect(JSON.stringify(above.reverse())).toBe(JSON.stringify(before));
      expect(session.branch).toEqual((await reopenSession(sessionBytes(session))).branch);
    }),
    runs,
  );
});

const compaction: NewEntry = {
  type: "compaction",
  id: "elsewhere",
  summary: "elsewhere",
  firstKeptEntryId: "elsewhere",
  tokensBefore: 1,
};

const timeless = (session: Session): string => contextJson(session).replace(/"timestamp":\d+/g, "");
