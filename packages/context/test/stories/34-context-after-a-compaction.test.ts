/** Story 34: an extension puts the state of the build behind every compaction, so that the model knows where it stands. */

import { expect, test } from "vitest";
import type { CompactionHooks } from "../../src/compaction-hooks/compaction-hooks.ts";
import { budgetKeeping, compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const lines = ["user: fix the build", `says: ${repeatWord(900)}`, "user: go on"];

const withState = (content: string, compactions: string[] = []): CompactionHooks => ({
  session_compact: [
    ({ compactionEntry, fromExtension, reason, willRetry }) => {
      compactions.push(`${compactionEntry.id} ${fromExtension} ${reason} ${willRetry}`);
      return {
        entries: [
          { type: "custom_message", customType: "build", content, display: true },
          { type: "custom", customType: "build.seen", data: { times: compactions.length } },
        ],
      };
    },
  ],
  report: ({ event, why }) => compactions.push(`${event}: ${why}`),
});

test("HOOK5 B75 entries of a hook follow the compaction in the log and are in the context at once", async () => {
  const session = await createSession(...lines);
  const compactions: string[] = [];
  const outcome = await compactSmall(session, {
    budget: budgetKeeping(session, 1),
    hooks: withState("two tests are red", compactions),
  });
  const id = outcome.type === "compacted" ? outcome.id : "";
  expect(compactions).toEqual([`${id} false manual false`]);
  expect(contextLines(session).slice(1)).toEqual(["1 user      go on", "2 custom    two tests are red"]);
  expect((await session.branchEntries()).slice(3)).toMatchObject([
    { type: "compaction", id },
    { type: "custom_message", customType: "build", parentId: id },
    { type: "custom", customType: "build.seen", data: { times: 1 } },
  ]);
});

test("HOOK2 HOOK4 HOOK5 entries over the limit are reported and left out, and the compaction stays", async () => {
  const session = await createSession(...lines);
  const compactions: string[] = [];
  const hooks = withState(repeatWord(900), compactions);
  expect(await compactSmall(session, { budget: budgetKeeping(session, 1), hooks })).toMatchObject({
    type: "compacted",
  });
  expect(compactions[1]).toMatch(/^session_compact: its entries have \d+ tokens; the limit is 600$/);
  expect(contextLines(session).slice(1)).toEqual(["1 user      go on"]);
});

test("HOOK5 a hook gets a cancelled compaction too, and adds nothing", async () => {
  const session = await createSession(...lines);
  const events: unknown[] = [];
  const hooks: CompactionHooks = {
    session_before_compact: [() => ({ cancel: true })],
    session_compact_failed: [(event) => void events.push(event)],
  };
  expect(await compactSmall(session, { hooks })).toEqual({ type: "cancelled" });
  expect(events).toEqual([
    { type: "session_compact_failed", aborted: true, fromExtension: false, reason: "manual", willRetry: false },
  ]);
  expect(await session.branchEntries()).toHaveLength(3);
});
