/** Tests sessions/compaction-counts.ts: what counts on a branch, and how much is read for it. */

import { type CompactionEntry, MemoryStore, Session, undoCompaction } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { expect, test } from "vitest";
import { CompactionCounter } from "../../src/sessions/session-stats.ts";

async function newSession(): Promise<Session> {
  return await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
}

async function say(session: Session, count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await session.append({ type: "message", message: { role: "user", content: `number ${at}`, timestamp: 0 } });
}

const receipt = (count: unknown, more: object = {}) => ({
  pith: { receipt: { route: "model", withoutProgress: 0, tokens: { after: 1 }, covered: { count }, ...more } },
});

/** Keeps nothing. */
async function compact(session: Session, details?: object): Promise<CompactionEntry> {
  const id = nodeRuntime.entryId();
  const compaction = { id, summary: "told", firstKeptEntryId: id, tokensBefore: 9 };
  await session.append({ type: "compaction", ...compaction, ...(details && { details }) });
  const entry = await session.store.entry(id);
  if (entry?.type !== "compaction") throw new Error("no compaction");
  return entry;
}

test("MET15 the counts add up the compactions of the branch and their entries", async () => {
  const [session, counter] = [await newSession(), new CompactionCounter()];
  await say(session, 3);
  expect(await counter.countTo(await compact(session, receipt(3)), session.store)).toEqual({
    compactions: 1,
    entries: 3,
  });
  await say(session, 450);
  const second = await compact(session, receipt(451));
  const counts = { compactions: 2, entries: 454 };
  expect(await counter.countTo(second, session.store)).toEqual(counts);
  expect(await new CompactionCounter().countTo(second, session.store)).toEqual(counts);
});

test("MET15 a summary from the originals counts each entry once", async () => {
  const [session, counter] = [await newSession(), new CompactionCounter()];
  await say(session, 3);
  await compact(session, receipt(3));
  const again = await compact(session, receipt(4, { fromOriginals: true }));
  expect(await counter.countTo(again, session.store)).toEqual({ compactions: 2, entries: 4 });
  await say(session, 2);
  const last = await compact(session, receipt(3));
  expect(await counter.countTo(last, session.store)).toEqual({ compactions: 3, entries: 7 });
});

test("MET15 an undone compaction and one of another branch are not counted", async () => {
  const [session, counter] = [await newSession(), new CompactionCounter()];
  await say(session, 3);
  await counter.countTo(await compact(session, receipt(3)), session.store);
  await say(session, 2);
  const second = await compact(session, receipt(2));
  expect(await counter.countTo(second, session.store)).toMatchObject({ compactions: 2 });
  expect(await undoCompaction(session)).toMatchObject({ type: "undone" });
  await say(session, 1);
  const other = await compact(session, receipt(4));
  expect(await counter.countTo(other, session.store)).toEqual({ compactions: 2, entries: 7 });
  expect(await counter.countTo(second, session.store)).toEqual({ compactions: 2, entries: 5 });
});

test("MET15 a compaction without a valid receipt makes the entry count unknown", async () => {
  for (const details of [undefined, receipt("many"), receipt(-1), receipt(0.5), receipt(undefined)]) {
    const session = await newSession();
    await say(session, 1);
    await compact(session, details);
    await say(session, 1);
    const last = await compact(session, receipt(2));
    expect(await new CompactionCounter().countTo(last, session.store)).toEqual({ compactions: 2, entries: null });
  }
});

test("MET15 each part of a long session is read once", async () => {
  const [session, counter] = [await newSession(), new CompactionCounter()];
  let reads = 0;
  const store = new Proxy(session.store, {
    get: (target, name) => {
      if (name === "entry") reads += 1;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as Store;
  await say(session, 1_000);
  await counter.countTo(await compact(session, receipt(1_000)), store);
  expect(reads).toBe(1_000);
  await say(session, 10);
  const last = await compact(session, receipt(10));
  for (let times = 0; times < 3; times++) await counter.countTo(last, store);
  expect(reads).toBeLessThan(1_300);
});
