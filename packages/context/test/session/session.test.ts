/** The few acts of a session: append, move, fork, refresh. */

import { expect, test } from "vitest";
import { MOVE } from "../../src/entry.ts";
import { machine } from "../../src/node/machine.ts";
import { buildSessionContext } from "../../src/reading/build-context.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type Drafted, Session } from "../../src/session/session.ts";
import { show } from "../../src/testing/show.ts";
import { testPorts } from "../../src/testing/test-ports.ts";

const user = (content: string): Drafted => ({ type: "message", message: { role: "user", content, timestamp: 0 } });
const opened = async (): Promise<Session> => {
  const ports = testPorts();
  return Session.open(MemoryStore.create(ports, { cwd: "/project" }), ports);
};
const seen = (session: Session): string => show(buildSessionContext(session.window).messages);

test("STO4 a batch is appended as a chain behind the leaf", async () => {
  const session = await opened();
  expect(await session.append(user("one"), user("two"))).toEqual({ type: "appended", leaf: "e2" });
  expect((await session.branch()).map(({ id, parentId }) => [id, parentId])).toEqual([
    ["e1", null],
    ["e2", "e1"],
  ]);
});

test("MOVE1 a move is an entry at the place moved to, and survives a crash", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  await session.move("e1");
  expect(seen(session)).toBe("0 user      one");
  const again = MemoryStore.open((session.store as MemoryStore).bytes(), testPorts());
  expect(await again.leaf()).toBe(session.leaf);
  expect(await again.entry(session.leaf ?? "")).toMatchObject({ type: "custom", customType: MOVE, parentId: "e1" });
  await session.append(user("other"));
  expect(seen(session)).toBe("0 user      one\n1 user      other");
});

test("MOVE1 before the first entry there is an empty context", async () => {
  const session = await opened();
  await session.append(user("one"));
  await session.move(null);
  expect(buildSessionContext(session.window).messages).toEqual([]);
});

test("STO5 two writers: the second is told, looks again, and loses nothing", async () => {
  const session = await opened();
  const other = await Session.open(session.store, testPorts("other"));
  await session.append(user("one"));
  expect(await other.append(user("two"))).toEqual({ type: "leaf-moved", leaf: "e1" });
  await other.refresh();
  expect(await other.append(user("two"))).toMatchObject({ type: "appended" });
  expect(seen(other)).toBe("0 user      one\n1 user      two");
});

test("WIN1 a compaction that keeps more than the window reads it anew", async () => {
  const session = await opened();
  const compaction = (id: string, firstKeptEntryId: string): Drafted => ({
    type: "compaction",
    id,
    summary: id,
    firstKeptEntryId,
    tokensBefore: 1,
  });
  await session.append(user("one"), user("two"));
  await session.append(compaction("first", "e2"));
  await session.append(compaction("second", "e1"));
  expect(seen(session)).toBe("0 compactionSummary second\n1 user      one\n2 user      two");
});

test("LOG7 LOG8 ids of the machine have 80 random bits and never repeat; times are ISO", async () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => machine.entryId()));
  expect(ids.size).toBe(10_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{20}$/);
  const session = await Session.open(MemoryStore.create(machine), machine);
  await session.append(user("one"));
  expect((await session.branch())[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(machine.sessionId()).not.toBe(machine.sessionId());
  expect(machine.nonce()).not.toBe(machine.nonce());
  expect(machine.checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  expect(testPorts().checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});
