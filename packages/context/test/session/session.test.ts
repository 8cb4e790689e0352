/** Tests the operations of a session: append, move, mark busy, fork, refresh. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { MOVE_TYPE } from "../../src/entry.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show } from "../../src/testing/story.ts";

const user = (content: string): NewEntry => ({ type: "message", message: { role: "user", content, timestamp: 0 } });
const opened = async (): Promise<Session> => {
  const ports = testRuntime();
  return Session.open(MemoryStore.create(ports, { cwd: "/project" }), ports);
};
const contextJson = (session: Session): string => show(buildSessionContext(session.branch).messages);

test("STO4 a batch is appended as a chain at the leaf", async () => {
  const session = await opened();
  expect(await session.append(user("one"), user("two"))).toEqual({ type: "appended", leaf: "e2" });
  expect((await session.branchEntries()).map(({ id, parentId }) => [id, parentId])).toEqual([
    ["e1", null],
    ["e2", "e1"],
  ]);
});

test("MOVE1 a move is an entry under the target, and survives a crash", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  await session.move("e1");
  expect(contextJson(session)).toBe("0 user      one");
  const again = MemoryStore.open((session.store as MemoryStore).bytes(), testRuntime());
  expect(await again.leaf()).toBe(session.leaf);
  expect(await again.entry(session.leaf ?? "")).toMatchObject({
    type: "custom",
    customType: MOVE_TYPE,
    parentId: "e1",
  });
  await session.append(user("other"));
  expect(contextJson(session)).toBe("0 user      one\n1 user      other");
});

const summary: NewEntry = { type: "branch_summary", fromId: "e2", summary: "two was tried" };

test("MOVE3 a branch summary is a child of the target, becomes the leaf, and records the move", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  expect(await session.move("e1", { newEntries: [summary] })).toEqual({ type: "appended", leaf: "e3" });
  expect((await session.branchEntries()).map(({ type, id, parentId }) => [type, id, parentId])).toEqual([
    ["message", "e1", null],
    ["branch_summary", "e3", "e1"],
  ]);
  expect(contextJson(session)).toBe("0 user      one\n1 left      two was tried");
  const again = MemoryStore.open((session.store as MemoryStore).bytes(), testRuntime());
  expect(await again.leaf()).toBe("e3");
  expect(session.branch).toEqual(await again.loadBranch("e3"));
});

test("MOVE3 STO4 the entries of a move are written all or none", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  const named: NewEntry = { type: "label", targetId: "summary", label: "two" };
  await session.move("e1", { newEntries: [{ ...summary, id: "summary" }, named] });
  expect((await session.branchEntries()).map(({ type }) => type)).toEqual(["message", "branch_summary", "label"]);
  const stays = session.leaf;
  const bad: NewEntry = { type: "label", targetId: "nobody", label: "x" };
  await expect(session.move("e2", { newEntries: [summary, bad] })).rejects.toThrow("labels nobody");
  expect([session.leaf, await session.store.leaf()]).toEqual([stays, stays]);
  expect(await session.store.children("e2")).toEqual([]);
});

test("MOVE3 the entry of a move before the first entry is a root", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  await session.move(null, { newEntries: [summary] });
  expect(contextJson(session)).toBe("0 left      two was tried");
  expect(await session.branchEntries()).toHaveLength(1);
});

test("MOVE1 a move without new entries writes a move entry", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  await session.move("e1", { data: { why: "a test" }, newEntries: [] });
  expect(await session.store.entry(session.leaf ?? "")).toMatchObject({
    customType: MOVE_TYPE,
    data: { why: "a test" },
  });
});

test("MOVE3 STO5 a move is refused if the leaf is not the expected one", async () => {
  const session = await opened();
  await session.append(user("one"), user("two"));
  const late = await session.move("e1", { newEntries: [summary], expectedLeaf: "e1" });
  expect(late).toEqual({ type: "leaf-moved", leaf: "e2" });
  expect(await session.store.children("e1")).toHaveLength(1);
});

test("MOVE3 WIN2 a compaction at the target stores the state at the target", async () => {
  const session = await opened();
  await session.append({ type: "thinking_level_change", thinkingLevel: "high" }, user("one"));
  await session.append({ type: "thinking_level_change", thinkingLevel: "low" });
  const compaction: NewEntry = { type: "compaction", id: "c", summary: "s", firstKeptEntryId: "e2", tokensBefore: 1 };
  await session.move("e2", { newEntries: [compaction] });
  const carried = { model: null, thinkingLevel: "high", activeTools: null, pins: [], queue: [] };
  expect(await session.store.entry("c")).toMatchObject({ details: { pith: { carried } } });
  expect(session.branch.state).toEqual(carried);
});

test("B80 a busy mark lasts until its operation ends, and equal marks are counted separately", async () => {
  const session = await opened();
  expect(session.busyReasons).toEqual([]);
  const ended = [session.markBusy("streaming"), session.markBusy("compacting"), session.markBusy("streaming")];
  expect(session.busyReasons).toEqual(["streaming", "compacting", "streaming"]);
  expect(await session.append(user("one"))).toMatchObject({ type: "appended" });
  ended[0]?.();
  ended[0]?.();
  expect(session.busyReasons).toEqual(["compacting", "streaming"]);
  for (const end of ended) end();
  expect(session.busyReasons).toEqual([]);
});

test("MOVE1 a move before the first entry gives an empty context", async () => {
  const session = await opened();
  await session.append(user("one"));
  await session.move(null);
  expect(buildSessionContext(session.branch).messages).toEqual([]);
});

test("MOVE1 FORK1 an unknown entry id is refused with an error that names it", async () => {
  const session = await opened();
  await expect(session.move("nope")).rejects.toThrow("cannot move to nope: it is not in this session");
  await expect(session.fork({ leaf: "nope" })).rejects.toThrow("entry nope is not in this session");
  expect(session.leaf).toBe(null);
});

test("SES1 concurrent appends are written one after another, and none is lost", async () => {
  const session = await opened();
  const outcomes = [
    session.append(user("one")),
    session.append(user("two")),
    session.move("e1"),
    session.append(user("three")),
  ];
  expect((await Promise.all(outcomes)).map(({ type }) => type)).toEqual([
    "appended",
    "appended",
    "appended",
    "appended",
  ]);
  expect(contextJson(session)).toBe("0 user      one\n1 user      three");
});

test("SES1 a fork includes appends that were started before it", async () => {
  const session = await opened();
  const [, bytes] = await Promise.all([session.append(user("one")), session.fork()]);
  expect(await MemoryStore.open(bytes, testRuntime()).leaf()).toBe("e1");
});

test("SES2 an appended entry cannot be changed by the caller", async () => {
  const session = await opened();
  const content = [{ type: "text" as const, text: "one" }];
  await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
  content.push({ type: "text", text: "two" });
  expect(contextJson(session)).toBe("0 user      one");
});

test("SES1 a failed append does not block the next one", async () => {
  const session = await opened();
  const failing = session.move("nope");
  const next = session.append(user("one"));
  await expect(failing).rejects.toThrow();
  expect(await next).toMatchObject({ type: "appended" });
});

test("SES2 a new entry made from an old one gets its own id and position", async () => {
  const session = await opened();
  await session.append(user("one"));
  await session.append(user("two"));
  const [old] = await session.branchEntries();
  await session.append({ ...old, id: "copy" } as unknown as NewEntry);
  expect((await session.branchEntries()).map(({ id, parentId }) => `${parentId} <- ${id}`)).toEqual([
    "null <- e1",
    "e1 <- e2",
    "e2 <- copy",
  ]);
  expect(session.branch).toEqual(await session.store.loadBranch("copy"));
});

test("STO5 the second of two writers gets leaf-moved, refreshes, and loses nothing", async () => {
  const session = await opened();
  const other = await Session.open(session.store, testRuntime("other"));
  await session.append(user("one"));
  expect(await other.append(user("two"))).toEqual({ type: "leaf-moved", leaf: "e1" });
  await other.refresh();
  expect(await other.append(user("two"))).toMatchObject({ type: "appended" });
  expect(contextJson(other)).toBe("0 user      one\n1 user      two");
});

test("WIN1 a compaction that keeps entries before the loaded branch loads it again", async () => {
  const session = await opened();
  const compaction = (id: string, firstKeptEntryId: string): NewEntry => ({
    type: "compaction",
    id,
    summary: id,
    firstKeptEntryId,
    tokensBefore: 1,
  });
  await session.append(user("one"), user("two"));
  await session.append(compaction("first", "e2"));
  await session.append(compaction("second", "e1"));
  expect(contextJson(session)).toBe("0 summary   second\n1 user      one\n2 user      two");
});

test("LOG7 LOG8 entry ids have 80 random bits and never repeat; timestamps are ISO 8601", async () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => nodeRuntime.entryId()));
  expect(ids.size).toBe(10_000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{20}$/);
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  await session.append(user("one"));
  expect((await session.branchEntries())[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(nodeRuntime.sessionId()).not.toBe(nodeRuntime.sessionId());
  expect(nodeRuntime.nonce()).not.toBe(nodeRuntime.nonce());
  expect(nodeRuntime.checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  expect(testRuntime().checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});
