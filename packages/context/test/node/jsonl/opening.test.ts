/** Tests that opening reads only what the context needs, and that index and hints save time but never change the result. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import { type Files, indexPath } from "../../../src/node/files.ts";
import { lineKinds } from "../../../src/node/jsonl/line-index.ts";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../../src/session/session.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { counting } from "./disks.ts";
import { requireStore } from "./simulate-processes.ts";

const path = "/s/one.jsonl";
const text = "two thousand letters ".repeat(95);
const note = (content: string): NewEntry => ({ type: "message", message: { role: "user", content, timestamp: 1 } });

/** A session with a compaction every hundred entries; returns the ids in file order. */
async function longSession(files: Files, entries: number): Promise<readonly string[]> {
  const store = requireStore(await createStore(path, { cwd: "/s" }, { files, durability: "fast" }));
  const session = await Session.open(store, nodeRuntime);
  await session.append({ type: "thinking_level_change", thinkingLevel: "high" });
  const ids: string[] = [session.leaf ?? ""];
  while (ids.length < entries) {
    const kept = ids.at(-5) ?? "";
    const compacts = ids.length % 100 === 0;
    await session.append(
      compacts ? { type: "compaction", summary: "so far", firstKeptEntryId: kept, tokensBefore: 1 } : note(text),
    );
    ids.push(session.leaf ?? "");
  }
  await store.close();
  return ids;
}

describe("DISK8 opening", () => {
  test("DISK8 reads the same number of bytes of a long session and a short one", async () => {
    const read: number[] = [];
    for (const entries of [350, 3_050]) {
      const files = new FaultyFiles();
      await longSession(files, entries);
      const counted = counting(files);
      const session = await Session.open(
        requireStore(await openStore(path, { files: counted.files, mode: "follower" })),
        nodeRuntime,
      );
      expect(session.branch.entries.length).toBe(55);
      expect([session.branch.isStateComplete, session.branch.state.thinkingLevel]).toEqual([true, "high"]);
      read.push(counted.bytes());
    }
    expect(read[1]).toBeLessThan(2 * (read[0] ?? 0));
    expect(read[1]).toBeLessThan(600_000);
  });

  test("MOVE2 jumps to the target of a move", async () => {
    const files = new FaultyFiles();
    const ids = await longSession(files, 2_050);
    await moveTo(ids[150] ?? "", files);
    const counted = counting(files);
    const session = await Session.open(
      requireStore(await openStore(path, { files: counted.files, mode: "follower" })),
      nodeRuntime,
    );
    expect(session.branch.entries.map(({ id }) => id)).toEqual([...ids.slice(95, 151), session.leaf]);
    expect(counted.bytes()).toBeLessThan(600_000);
  });

  test("MOVE2 a wrong offset hint costs only time", async () => {
    const files = new FaultyFiles();
    const ids = await longSession(files, 450);
    await moveTo(ids[150] ?? "", files);
    const lines = new TextDecoder().decode(files.readBytes(path)).trimEnd().split("\n");
    const last = lines.at(-1) ?? "";
    for (const hint of [0, 17, last.length, 300_000, 10 ** 12]) {
      const { crc: _, up: __, ...entry } = JSON.parse(last) as Record<string, unknown>;
      const body = JSON.stringify({ ...entry, up: hint }).slice(0, -1);
      const sum = nodeRuntime.checksum(new TextEncoder().encode(body)).toString(16).padStart(8, "0");
      files.addFile(
        path,
        new TextEncoder().encode(`${[...lines.slice(0, -1), `${body},"crc":"${sum}"}`].join("\n")}\n`),
      );
      const session = await Session.open(requireStore(await openStore(path, { files, mode: "follower" })), nodeRuntime);
      expect(session.branch.entries.map(({ id }) => id)).toEqual([...ids.slice(95, 151), session.leaf]);
    }
  });

  test("WIN3 a file of pi is opened before its state is complete, and the first append completes it", async () => {
    const files = new FaultyFiles();
    await longSession(files, 350);
    files.addFile(path, asPi(files.readBytes(path)));
    const store = requireStore(await openStore(path, { files }));
    const session = await Session.open(store, nodeRuntime);
    expect([session.branch.isStateComplete, session.branch.state.thinkingLevel]).toEqual([false, "off"]);
    await session.append(note("go on"));
    expect([session.branch.isStateComplete, session.branch.state.thinkingLevel]).toEqual([true, "high"]);
    expect(session.branch).toEqual(await MemoryStore.open(files.readBytes(path), nodeRuntime).loadBranch(session.leaf));
  });
});

test("MOVE3 WIN3 in a file of pi the state is complete after a move with a summary", async () => {
  const files = new FaultyFiles();
  const ids = await longSession(files, 350);
  const bytes = asPi(files.readBytes(path));
  const summary: NewEntry = { type: "branch_summary", fromId: ids.at(-1) ?? "", summary: "it was tried" };
  const compaction: NewEntry = { type: "compaction", id: "c", summary: "s", firstKeptEntryId: "c", tokensBefore: 1 };
  for (const target of [ids[250], ids.at(-1)])
    for (const drafts of [[summary], [summary, compaction]]) {
      files.addFile(path, bytes);
      const store = requireStore(await openStore(path, { files }));
      const session = await Session.open(store, nodeRuntime);
      expect(session.branch.isStateComplete).toBe(false);
      await session.move(target ?? null, { newEntries: drafts });
      expect([session.branch.isStateComplete, session.branch.state.thinkingLevel]).toEqual([true, "high"]);
      expect(session.branch).toEqual(
        await MemoryStore.open(files.readBytes(path), nodeRuntime).loadBranch(session.leaf),
      );
      await store.close();
    }
});

describe("STO12 branch summaries", () => {
  const withSummaries = async (files: Files, entries: number): Promise<readonly string[]> => {
    const ids = await longSession(files, entries);
    const store = requireStore(await openStore(path, { files }));
    const session = await Session.open(store, nodeRuntime);
    for (const fromId of [ids[40] ?? "", ids[90] ?? "", ids[40] ?? ""])
      await session.move(ids[20] ?? "", { newEntries: [{ type: "branch_summary", fromId, summary: "it was tried" }] });
    await store.close();
    return ids;
  };

  test("DISK9 STO12 are found without reading other lines, in a file of any length", async () => {
    const read: number[] = [];
    for (const entries of [1_000, 4_000]) {
      const files = new FaultyFiles();
      const ids = await withSummaries(files, entries);
      const counted = counting(files);
      const store = requireStore(await openStore(path, { files: counted.files, mode: "follower" }));
      await store.entry(ids[0] ?? "");
      const before = counted.bytes();
      expect(await store.branchSummaries(new Set([ids[40] ?? ""]))).toHaveLength(2);
      read.push(counted.bytes() - before);
    }
    expect(read[1]).toBe(read[0]);
    expect(read[1]).toBeLessThan(2_000);
  });

  test("DISK9 STO12 an index of an older format is rebuilt", async () => {
    const files = new FaultyFiles();
    const ids = await withSummaries(files, 1_000);
    const index = files.readBytes(indexPath(path)).slice();
    const [head, rows] = [new DataView(index.buffer, 0, 24), index.subarray(24)];
    const kindsOf = new Int32Array(rows.slice().buffer);
    const branchSummary = lineKinds.indexOf("branch_summary");
    const old = kindsOf.map((word, at) => (at % 6 === 5 && word === branchSummary ? 0 : word));
    rows.set(new Uint8Array(old.buffer));
    head.setUint32(0, 0x70697832);
    head.setUint32(16, nodeRuntime.checksum(rows));
    files.addFile(indexPath(path), index);
    const store = requireStore(await openStore(path, { files, mode: "follower" }));
    expect(await store.branchSummaries(new Set([ids[40] ?? ""]))).toHaveLength(2);
  });
});

describe("DISK9 the index", () => {
  test("DISK9 is saved for long sessions and used by the next process", async () => {
    const files = new FaultyFiles();
    const ids = await longSession(files, 1_000);
    expect(files.readBytes(indexPath(path)).length).toBeGreaterThan(900 * 24);
    const counted = counting(files);
    const store = requireStore(await openStore(path, { files: counted.files, mode: "follower" }));
    expect((await store.entry(ids[3] ?? ""))?.id).toBe(ids[3]);
    expect(counted.bytes()).toBeLessThan(files.readBytes(path).length / 4);
  });

  const spoil: readonly (readonly [string, (index: Uint8Array) => Uint8Array])[] = [
    ["empty", () => new Uint8Array()],
    ["cut short", (index) => index.slice(0, -30)],
    ["of another program", (index) => index.map((byte) => byte ^ 0x55)],
    ["changed in one bit", (index) => index.map((byte, at) => (at === 5_000 ? byte ^ 1 : byte))],
    ["of fewer lines, its head untouched", (index) => index.slice(0, 24 + 24 * 10)],
  ];
  test.each(spoil)("DISK9 that is %s is rebuilt", async (_, spoiled) => {
    const files = new FaultyFiles();
    const ids = await longSession(files, 1_000);
    files.addFile(indexPath(path), spoiled(files.readBytes(indexPath(path))));
    await expectWhole(files, ids);
  });

  test("DISK9 of another file, or of this file before a change, is rebuilt", async () => {
    const [files, other] = [new FaultyFiles(), new FaultyFiles()];
    const ids = await longSession(files, 1_000);
    await longSession(other, 1_000);
    files.addFile(indexPath(path), other.readBytes(indexPath(path)));
    await expectWhole(files, ids);
  });

  test("DISK9 of a file that has grown is completed", async () => {
    const files = new FaultyFiles();
    const ids = await longSession(files, 1_000);
    const kept = files.readBytes(indexPath(path)).slice();
    await moveTo(ids[20] ?? "", files);
    files.addFile(indexPath(path), kept);
    const store = requireStore(await openStore(path, { files, mode: "follower" }));
    expect(await store.children(ids[20] ?? "")).toHaveLength(2);
  });
});

async function expectWhole(files: FaultyFiles, ids: readonly string[]): Promise<void> {
  const store = requireStore(await openStore(path, { files, mode: "follower" }));
  const held = MemoryStore.open(files.readBytes(path), nodeRuntime);
  expect((await store.branchEntries(ids.at(-1) ?? "")).map(({ id }) => id)).toEqual(ids);
  for (const id of [ids[0], ids[499], ids[999]])
    expect(await store.entry(id ?? "")).toEqual(await held.entry(id ?? ""));
}

async function moveTo(target: string, files: Files): Promise<void> {
  const store = requireStore(await openStore(path, { files }));
  await (await Session.open(store, nodeRuntime)).move(target);
  await store.close();
}

/** The same lines without our marks, as pi would have written them. */
function asPi(bytes: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
  const plain = lines.map((line) => {
    const { crc: _, up: __, run: ___, pith: ____, ...entry } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify((entry as unknown as Entry).type === "compaction" ? { ...entry, details: {} } : entry);
  });
  return new TextEncoder().encode(`${plain.join("\n")}\n`);
}

/** The same disk, and how many bytes were read from it. */
