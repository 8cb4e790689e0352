/** Tests that the file store reads a damaged file like the memory store reads its bytes, and continues like it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import type { Durability } from "../../../src/node/jsonl/append.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import type { Store } from "../../../src/session/store.ts";
import type { FormatLimits } from "../../../src/settings.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { damagedEncodings } from "../../format/damaged-encodings.ts";
import { damagedLines } from "../../format/damaged-lines.ts";
import { damagedTrees } from "../../format/damaged-trees.ts";
import { manyLines, oneLine } from "../../format/hostile-shapes.ts";
import { damagedSession, noise } from "../../format/mutations.ts";
import {
  blanked,
  chain,
  type DamagedFile,
  damageIn,
  file,
  ourHeader,
  piHeader,
  read,
  withTrailers,
} from "../../format/specimen.ts";
import { createSeededRandom, type RandomSource } from "../../support/seeded-random.ts";
import { isLong } from "../../support/test-length.ts";
import { type Disk, disks, expectBytes, memoryDisk } from "./disks.ts";
import { simulateProcesses } from "./simulate-processes.ts";
import { damageText, readEverything, type StoreContents } from "./store-contents.ts";

/** Printed by fast-check where it fails; `PITH_SEED` repeats it. */
const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const more = Number(process.env.PITH_MORE ?? (isLong ? 1 : 0.25));

describe.each(disks)("a damaged file on a disk that is %s", (_, disk) => {
  const found = ({ bytes, limits }: DamagedFile): Promise<void> => expectSame(disk(), bytes, limits);
  test.each(damagedLines)("D9 is read like the same bytes in memory: $name", found);
  test.each(damagedTrees)("D10 is read like the same bytes in memory: $name", found);
  test.each(damagedEncodings)("D11 is read like the same bytes in memory: $name", found);
});

describe("a file designed to be slow to read", () => {
  test.each(Object.entries(manyLines))("D10 is read like the same bytes in memory: %s", (_, shape) =>
    expectSame(memoryDisk(), shape(60)),
  );
  test.each(Object.entries(oneLine))("D10 is read like the same bytes in memory: one line with %s", (_, shape) =>
    expectSame(memoryDisk(), shape(2000)),
  );
});

test.each(damagedTrees.concat(damagedLines).filter(({ damage }) => /duplicate-line|duplicate-id/.test(damage)))(
  "D9 D10 a full read returns the right leaf where the end of the file alone does not: $name",
  async ({ bytes }) => {
    const { files, path, put } = memoryDisk();
    put(path, bytes);
    const store = await simulateProcesses(files).open(path, { mode: "follower" });
    await store.prepareIndex();
    expect(await store.leaf()).toBe(await MemoryStore.open(bytes, testRuntime()).leaf());
  },
);

test("D9 a gap has no line, even if a migration wrote it as an entry", async () => {
  const { files, path, put, bytes } = memoryDisk();
  put(path, file(piHeader.replace('"version":3', '"version":2'), "garbage", ...chain(1)));
  const store = await simulateProcesses(files).open(path);
  const gap = `gap-${file(piHeader).length}`;
  expect([(await store.entry(gap))?.type, await store.line(gap)]).toEqual(["gap", undefined]);
  await appended(store);
  const again = [
    await simulateProcesses(files).open(path, { mode: "follower" }),
    MemoryStore.open(bytes(path), testRuntime()),
  ];
  for (const each of again) expect([(await each.entry(gap))?.type, await each.line(gap)]).toEqual(["gap", undefined]);
});

test.each([
  ["at the end", (at: number): boolean => at >= 3],
  ["in front", (at: number): boolean => at < 3],
])("LOG2 HARM4 a header without mark and trailer is damaged if a trailer is valid %s", async (_, isSealed) => {
  const lines = chain(6).flatMap((line, at) => (isSealed(at) ? withTrailers(line) : line));
  const bytes = file(withTrailers(ourHeader).map(blanked), lines);
  expect(damageIn(read(bytes))).toBe("damaged-header@1");
  await expectSame(memoryDisk(), bytes);
});

test.each([1, 2, 3])("LOG2 HARM3 a numbered line without its trailer is damaged: line %i of 3", async (lost) => {
  const lines = chain(3).map((line, at) => line.replace('Z"', `Z","number":${at + 1}`));
  const bytes = file(
    withTrailers(ourHeader),
    lines.flatMap((line, at) => (at + 1 === lost ? line.replace('"note"', '"no"') : withTrailers(line))),
  );
  expect(damageIn(read(bytes))).toBe(`wrong-checksum@${lost + 1}`);
  await expectSame(memoryDisk(), bytes);
});

test("D11 zeros before a line do not make it longer than the limit", async () => {
  const [e1 = "", e2 = "", e3 = ""] = chain(3);
  const bytes = file(piHeader, e1, `${"\0".repeat(400)}${e2}`, e3);
  await expectSame(memoryDisk(), bytes, { lineBytes: 300, depth: 200 });
});

test("D9 D10 D11 a file with randomly changed bytes is read like the same bytes in memory", async () => {
  const same = fc.asyncProperty(damagedSession, (bytes) => expectSame(memoryDisk(), bytes));
  await fc.assert(same, { seed, numRuns: 400 * more });
});

test("D9 D10 D11 a file with randomly changed bytes is read like the same bytes in memory, with limits that some lines exceed", async () => {
  const limits = fc.record({ lineBytes: fc.integer({ min: 60, max: 400 }), depth: fc.integer({ min: 1, max: 6 }) });
  const same = fc.asyncProperty(damagedSession, limits, (bytes, each) => expectSame(memoryDisk(), bytes, each));
  await fc.assert(same, { seed, numRuns: 200 * more });
});

test("D9 D10 D11 a long session with randomly changed bytes is read like the same bytes in memory", async () => {
  const chance = createSeededRandom(seed);
  for (let run = 0; run < 20 * more; run++) {
    const bytes = await createLongSession(80, chance, chance() < 0.5 ? "fast" : "durable");
    const wounds = Math.floor(chance() * 3);
    for (let wound = 0; wound < wounds; wound++) hurt(bytes, chance);
    const cut = chance() < 0.5 ? bytes.length : Math.floor(chance() * bytes.length);
    await expectSame(memoryDisk(), bytes.subarray(0, cut)).catch((error: unknown) => {
      throw new Error(`PITH_SEED=${seed}, run ${run}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    });
  }
});

test("D9 D10 D11 a file of random bytes is read like the same bytes in memory", async () => {
  const same = fc.asyncProperty(noise, (bytes) => expectSame(memoryDisk(), bytes));
  await fc.assert(same, { seed, numRuns: 200 * more });
});

async function expectSame({ files, path, put, bytes }: Disk, damaged: Uint8Array, limits?: FormatLimits) {
  put(path, damaged);
  const simulation = simulateProcesses(files);
  const limited = limits ? { limits } : {};
  // Its ports are handed on to the codec, limits and all.
  const reference = MemoryStore.open(damaged, { ...testRuntime(), ...limited });

  const follower = await simulation.open(path, { mode: "follower", ...limited });
  const [found, wanted] = [await readEverything(follower), await readEverything(reference)];
  expect(found).toEqual(wanted);
  if (!hasTwins(reference)) expect(withoutNumbers(found.atOnce)).toEqual(withoutNumbers(wanted.atOnce));
  expect(damageText(await follower.check())).toBe(damageIn(read(damaged, limits)));
  expectBytes(bytes(path), damaged);
  await follower.close();

  // A limit holds for writing too, and no entry fits into these.
  if (limits) return;
  const writer = await simulation.open(path, limited);
  const done = await appended(writer);
  expect(done).toEqual(await appended(reference));
  if (done !== "appended") return expectBytes(bytes(path), damaged);
  expect(await readEverything(writer)).toEqual(await readEverything(reference));
  expectLike(bytes(path), reference.bytes());
  await writer.close();
  const again = MemoryStore.open(reference.bytes(), { ...testRuntime(), ...limited });
  expect(await readEverything(await simulation.open(path, { mode: "follower", ...limited }))).toEqual(
    await readEverything(again),
  );
}

/** A byte turned, a stretch zeroed, or a line end lost. */
function hurt(bytes: Uint8Array, chance: RandomSource): void {
  const at = Math.floor(chance() * bytes.length);
  const fate = chance();
  if (fate < 0.4) bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(chance() * 8));
  else if (fate < 0.7) bytes.fill(0, at, at + Math.floor(chance() * 5000));
  else bytes[Math.max(0, bytes.indexOf(0x0a, at))] = 0x20;
}

// The end of a file does not tell that its last line was there before.
function hasTwins({ damage }: MemoryStore): boolean {
  return damage.some(({ kind }) => kind === "duplicate-line" || kind === "duplicate-id");
}

async function appended(store: Store): Promise<string> {
  // Looks at every line: what the leaf is without that, is told elsewhere.
  await store.branchEntries(null);
  const leaf = await store.leaf();
  const entry: Entry = { type: "custom", id: "appended", parentId: leaf, timestamp: "t", customType: "note" };
  const done = await store.append([entry], { expectedLeaf: leaf });
  return done.type === "refused" ? done.why : done.type;
}

// The one difference: a header that was made up, where there was none to be found, has an id of its own; a file's is that of its name.
function expectLike(found: Uint8Array, wanted: Uint8Array): void {
  const idOf = (bytes: Uint8Array): string | undefined =>
    /^\{[^\n]*?"type":"session"[^\n]*?"id":"([^"]*)"/.exec(Buffer.from(bytes).toString("latin1"))?.[1];
  const isMadeUp = idOf(found) === "s" && idOf(wanted) !== "s";
  const plain = (bytes: Uint8Array): Uint8Array => (isMadeUp ? bytes.subarray(bytes.indexOf(0x0a)) : bytes);
  expectBytes(plain(found), plain(wanted));
}

// Read from the end, an entry that another program wrote has no number yet: its note does not name one.
function withoutNumbers(atOnce: StoreContents["atOnce"]): unknown {
  return JSON.parse(JSON.stringify(atOnce).replaceAll(/\[Pith: entry #\d+ in/g, "[Pith: an entry in"));
}

async function createLongSession(entries: number, chance: RandomSource, durability: Durability): Promise<Uint8Array> {
  const { files, path, bytes } = memoryDisk();
  const store = await simulateProcesses(files).create(path, { durability });
  const written: Entry[] = [];
  while (written.length < entries) {
    const batch = drawn(written, chance);
    const done = await store.append(batch, { expectedLeaf: await store.leaf() });
    if (done.type !== "appended") throw new Error(JSON.stringify(done));
    written.push(...batch);
    if (chance() < 0.2) await store.sync();
  }
  await store.close();
  return bytes(path);
}

function drawn(written: readonly Entry[], chance: RandomSource): readonly Entry[] {
  const leaf = written.at(-1)?.id ?? null;
  const any = written[Math.floor(chance() * written.length)]?.id ?? null;
  const id = `n${written.length + 1}`;
  const place = { id, parentId: chance() < 0.9 ? leaf : any, timestamp: "2026-01-01T00:00:00.000Z" };
  const fate = chance();
  if (fate < 0.1)
    return [{ type: "compaction", ...place, summary: "s".repeat(size(chance)), firstKeptEntryId: id, tokensBefore: 1 }];
  if (fate < 0.15 && any !== null) return [{ type: "label", ...place, targetId: any, label: "here" }];
  if (fate < 0.2) return [{ type: "thinking_level_change", ...place, thinkingLevel: "high" }];
  const count = fate < 0.4 ? 3 : 1;
  return Array.from({ length: count }, (_, at) => ({
    type: "message",
    ...place,
    id: `n${written.length + 1 + at}`,
    parentId: at === 0 ? place.parentId : `n${written.length + at}`,
    message: { role: "user", content: "ä".repeat(size(chance)), timestamp: 1 },
  }));
}

// Mostly short; now and then longer than what is read at once.
function size(chance: RandomSource): number {
  return Math.floor(chance() < 0.9 ? chance() * 2000 : chance() * 150_000);
}
