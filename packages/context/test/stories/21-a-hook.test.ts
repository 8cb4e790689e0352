/** Story 21: an extension has its say: it cancels, it brings a summary of its own, it misbehaves. */

import { expect, test } from "vitest";
import { type BeforeCompact, hookWriter } from "../../src/compaction/writing/hooks.ts";
import { compactSmall, seenBy, sessionOf, words } from "../compaction/small-session.ts";

const talk = ["user: one", `says: ${words(900)}`, "user: two", "says: three", "user: four"];
const patience = (): AbortSignal => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 10);
  return controller.signal;
};
const withHook = async (hook: BeforeCompact) => {
  const session = await sessionOf(...talk);
  return { session, outcome: await compactSmall(session, { writers: [hookWriter(hook, { patience })] }) };
};

test("CMP7 it is told the plan, and may cancel: nothing is written", async () => {
  let told = "";
  const { session, outcome } = await withHook(({ type, preparation }) => {
    told = `${type} ${preparation.covered.length} of ${preparation.window.entries.length}`;
    return { cancel: true };
  });
  expect(told).toBe("session_before_compact 2 of 5");
  expect(outcome).toEqual({ type: "cancelled" });
  expect(await session.branch()).toHaveLength(5);
});

test("CMP7 its summary and its cut are used, what code keeps stays around them, and its details are its own", async () => {
  const { session, outcome } = await withHook(() => ({
    compaction: { summary: "My own story.", firstKeptEntryId: "e4", details: { mine: 1 } },
  }));
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "hook", kept: { first: "e4" } } });
  expect(seenBy(session)[0]).toMatch(/\[entry:e1\] one \[entry:e3\] two.*My own story\./);
  expect(session.window.entries[session.window.compactionAt]).toMatchObject({ fromHook: true, details: { mine: 1 } });
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
  ["says nothing", () => ({ compaction: { summary: "", firstKeptEntryId: "e3" } })],
  ["answers nonsense", () => 7 as never],
])("CMP7 INV45 one that %s spoils nothing", async (_, hook) => {
  const { session, outcome } = await withHook(hook);
  expect(outcome).toMatchObject({ type: "compacted", receipt: { route: "model-free" } });
  expect(seenBy(session)[0]).toContain("one");
});
