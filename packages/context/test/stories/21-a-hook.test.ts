/** Story 21: an extension has its say: it cancels, it brings a summary of its own, it misbehaves. */

import { expect, test } from "vitest";
import type { CompactionHooks } from "../../src/compaction-hooks/compaction-hooks.ts";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const lines = ["user: one", `says: ${repeatWord(900)}`, "user: two", "says: three", "user: four"];
const ring = (): object => {
  const one: { self?: object } = {};
  one.self = one;
  return one;
};
type BeforeCompact = NonNullable<CompactionHooks["session_before_compact"]>[number];
const withHook = async (hook: BeforeCompact) => {
  const session = await createSession(...lines);
  return { session, outcome: await compactSmall(session, { hooks: { session_before_compact: [hook] } }) };
};

test("CMP7 a hook gets the plan and can cancel, so that nothing is written", async () => {
  let prompt = "";
  const { session, outcome } = await withHook(({ type, preparation, branchEntries }) => {
    prompt = `${type} ${preparation.messagesToSummarize.length} of ${branchEntries.length}`;
    return { cancel: true };
  });
  expect(prompt).toBe("session_before_compact 2 of 5");
  expect(outcome).toEqual({ type: "cancelled" });
  expect(await session.branchEntries()).toHaveLength(5);
});

test("CMP7 the summary, the cut and the details of a hook are used, with the generated parts around them", async () => {
  const { session, outcome } = await withHook(() => ({
    compaction: { summary: "My own story.", firstKeptEntryId: "e4", details: { mine: 1 } },
  }));
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "hook", kept: { first: "e4" } } });
  expect(contextLines(session)[0]).toMatch(
    /\[#1\] one \[#3\] \(in reply to the assistant: .*word899\) two.*My own story\./,
  );
  expect(session.branch.entries[session.branch.compactionIndex]).toMatchObject({
    fromHook: true,
    details: { mine: 1 },
  });
});

test.each<[string, BeforeCompact]>([
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["hangs", () => new Promise(() => {})],
  ["names an entry that is not there", () => ({ compaction: { summary: "x", firstKeptEntryId: "e99" } })],
  ["returns an empty summary", () => ({ compaction: { summary: "", firstKeptEntryId: "e3" } })],
  ["returns an invalid value", () => 7 as never],
  ["has circular details", () => ({ compaction: { summary: "x", firstKeptEntryId: "e3", details: ring() } })],
  [
    "has details of 40 MB",
    () => ({ compaction: { summary: "x", firstKeptEntryId: "e3", details: { x: "x".repeat(40_000_000) } } }),
  ],
])("CMP7 INV45 a hook that %s does no harm", async (_, hook) => {
  const { session, outcome } = await withHook(hook);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free" } });
  expect(contextLines(session)[0]).toContain("one");
});

test("CMP7 a hook that empties its lists changes neither the plan nor the session", async () => {
  const { session, outcome } = await withHook(({ preparation: { messagesToSummarize, fileOps }, branchEntries }) => {
    for (const list of [messagesToSummarize, branchEntries]) list.splice(0, 2);
    fileOps.read.clear();
    return undefined;
  });
  expect(outcome).toMatchObject({ type: "compacted", receipt: { covered: { first: "e1", last: "e2" } } });
  expect((await session.branchEntries()).slice(0, 5).map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e4", "e5"]);
  expect(session.branch.entries[0]?.id).toBe("e3");
});

test("CMP7 CMP8 an impossible usage from a hook is left out, and its summary is used", async () => {
  const { session, outcome } = await withHook(() => ({
    compaction: {
      summary: "My own story.",
      firstKeptEntryId: "e3",
      usage: { input: 1n, cost: { total: -5 } } as never,
    },
  }));
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "hook", cost: 0 } });
  expect(session.branch.entries[session.branch.compactionIndex]).not.toHaveProperty("usage");
});
