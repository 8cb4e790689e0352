/** Tests import and export on random sessions: no entry and no line changes, and every read gives what it gives in memory. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Entry, MemoryStore } from "@pith/context";
import { decodeSession, type EntryLine, encodeSession } from "@pith/context/store";
import { story, testRuntime } from "@pith/context/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createSession, exportSession, importSession } from "../../src/index.ts";
import { requireSession } from "../support/database.ts";
import { readStore } from "../support/read-store.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const runtime = testRuntime();
const folder = mkdtempSync(join(tmpdir(), "pith-transfer-"));
afterAll(() => rmSync(folder, { recursive: true }));

const properties = join(import.meta.dirname, "../../../context/test/properties/run.ts");
const { PITH_RUNS: count = "1000", PITH_SEED: seed = "49" } = process.env;

/** All sessions have the same id, so each belongs to a tenant of its own. */
const tenantOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

test("PG8 a random session that is imported and exported has the same lines; each read gives what it gives in memory", async () => {
  execFileSync(process.execPath, [properties, "--write", folder, "--runs", count, "--seed", seed]);
  const names = readdirSync(folder);
  expect(names.length).toBe(Number(count));
  let damaged = 0;
  for (const [index, name] of names.entries()) {
    const bytes = readFileSync(join(folder, name));
    const file = decodeSession(bytes, runtime);
    const tenant = tenantOf(index);
    if ((await importSession(server.database, tenant, bytes, { runtime })).type === "damaged") {
      // The last line was torn by a crash.
      damaged++;
      const result = await importSession(server.database, tenant, bytes, { runtime, skipsDamage: true });
      expect(result).toEqual({
        type: "imported",
        id: file.header?.id,
        entryCount: file.lines.length,
        skipped: file.damage,
      });
    }
    const store = await requireSession(server.database, tenant, { id: file.header?.id ?? "", mode: "read" });
    const exported = decodeSession(await exportSession(store, { runtime }), runtime);
    expect(exported.damage).toEqual([]);
    expect(exported.headerText).toBe(file.headerText);
    expect(exported.lines.map(readLine)).toEqual(file.lines.map(readLine));
    // Reading everything takes longer than copying, so one of thirty sessions is read.
    if (index % 30 === 0) expect(await readStore(store)).toEqual(await readStore(MemoryStore.open(bytes, runtime)));
  }
  expect(damaged).toBeLessThan(names.length / 5);
});

test("PG8 random sessions that are appended in batches are read as in memory", async () => {
  const written = mkdtempSync(join(folder, "appended-"));
  execFileSync(process.execPath, [properties, "--write", written, "--runs", "40", "--seed", seed]);
  for (const [index, name] of readdirSync(written).entries()) {
    const { lines } = decodeSession(readFileSync(join(written, name)), runtime);
    const memory = MemoryStore.create(runtime);
    const store = await createSession(server.database, tenantOf(3_000_000 + index), { cwd: "", runtime });
    for (const batch of toBatches(lines.map(({ entry }) => entry).filter(({ type }) => type !== "gap"))) {
      const expectedLeaf = await memory.leaf();
      const result = await memory.append(batch, { expectedLeaf });
      expect(await store.append(batch, { expectedLeaf })).toEqual(result);
    }
    const { header: _, ...rows } = await readStore(store);
    const { header: __, ...entries } = await readStore(memory);
    expect(rows).toEqual(entries);
  }
});

/** Entries that follow each other, up to three in a batch. */
function toBatches(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  for (const entry of entries) {
    const last = batches.at(-1);
    if (last && last.length < (entry.number ?? 0) % 4 && last.at(-1)?.id === entry.parentId) last.push(entry);
    else batches.push([entry]);
  }
  return batches;
}

const readLine = ({ entry, text }: EntryLine): unknown => ({ entry, text: text() });

const fileOf = (...lines: readonly string[]): Uint8Array =>
  encodeSession(
    [JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "", cwd: "", pith: { format: 1 } }), ...lines],
    runtime.checksum,
  );
const linesOf = (...lines: readonly string[]): readonly string[] =>
  story(...lines).map((entry) => JSON.stringify(entry));

describe("a file", () => {
  test("PG9 that is damaged is refused; if damage is skipped, the result lists it and the rest is imported", async () => {
    const bytes = fileOf(...linesOf("user: one", "says: two", "user: three", "says: four"));
    const text = Buffer.from(bytes).toString().replace("two", "2wo");
    const damaged = Buffer.from(text);
    const tenant = tenantOf(2_000_000);
    const refused = await importSession(server.database, tenant, damaged, { runtime });
    expect(refused).toMatchObject({ type: "damaged", damage: [{ kind: "wrong-checksum", line: 3 }] });
    const result = await importSession(server.database, tenant, damaged, { runtime, skipsDamage: true });
    expect(result).toMatchObject({ type: "imported", entryCount: 4, skipped: [{ kind: "wrong-checksum", line: 3 }] });
    const store = await requireSession(server.database, tenant, { id: "s", mode: "write" });
    expect(await store.branchEntries("e4")).toEqual(await MemoryStore.open(damaged, runtime).branchEntries("e4"));
    expect((await store.entry("e2"))?.type).toBe("gap");
    expect(await store.line("e2")).toBeUndefined();
    const [next] = story("user: one", "says: two", "user: three", "says: four", "user: five").slice(4);
    if (next) expect(await store.append([next], { expectedLeaf: "e4" })).toEqual({ type: "appended", leaf: "e5" });
    expect((await store.branchEntries("e5")).length).toBe(5);
  });

  test("PG9 of a newer version, or of a session that the tenant has, is not imported", async () => {
    const tenant = tenantOf(2_000_001);
    const bytes = fileOf(...linesOf("user: one"));
    const newer = encodeSession(
      [JSON.stringify({ type: "session", version: 99, id: "s", timestamp: "", cwd: "" })],
      runtime.checksum,
    );
    expect(await importSession(server.database, tenant, newer, { runtime })).toEqual({ type: "newer-version" });
    expect(await importSession(server.database, tenant, bytes, { runtime })).toMatchObject({ type: "imported" });
    expect(await importSession(server.database, tenant, bytes, { runtime })).toEqual({ type: "exists", id: "s" });
  });

  test("PG9 in which a parent comes later keeps every branch, and the last entry stays the leaf", async () => {
    const [one, two, three, four] = linesOf("user: one", "says: two", "user: three", "says: four");
    const bytes = fileOf(String(one), String(four), String(two), String(three));
    const tenant = tenantOf(2_000_002);
    expect(await importSession(server.database, tenant, bytes, { runtime })).toMatchObject({ type: "imported" });
    const store = await requireSession(server.database, tenant, { id: "s", mode: "write" });
    const memory = MemoryStore.open(bytes, runtime);
    expect(await store.leaf()).toBe(await memory.leaf());
    for (const id of ["e1", "e2", "e3", "e4"])
      expect((await store.branchEntries(id)).map((entry) => entry.id)).toEqual(
        (await memory.branchEntries(id)).map((entry) => entry.id),
      );
    const next = story("user: next").map((entry) => ({ ...entry, id: "e9", parentId: "e3", number: 9 }));
    expect(await store.append(next, { expectedLeaf: "e3" })).toEqual({ type: "appended", leaf: "e9" });
    expect((await store.children("e3")).map(({ id }) => id)).toEqual(["e4", "e9"]);
    expect((await store.branchEntries("e9")).map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e9"]);
  });
});
