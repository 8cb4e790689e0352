/** Entries have numbers that are given once: every copy keeps them, no copy gives one again, and each finds its entry. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import { decodeSession } from "../../../src/format/session-file.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { cloneSession, exportForPi, forkSession } from "../../../src/node/sessions/copy-session.ts";
import { purgeSession } from "../../../src/node/sessions/purge-session.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { Session } from "../../../src/session/session.ts";
import type { Store } from "../../../src/session/store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { story } from "../../../src/testing/story.ts";
import { chain, file, note, ourHeader, piHeader, withTrailers } from "../../format/specimen.ts";
import { counting } from "../jsonl/disks.ts";
import { requireStore } from "../jsonl/simulate-processes.ts";
import { createTestHome, createTestSession, type TestHome } from "./test-home.ts";

const PI = "/pi/theirs.jsonl";
const SECRET = "the-secret-word";
const redaction = {
  redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "GONE")) as Value,
};

// e3 and e4 stay behind when the branch of e6 is forked.
const branches = story(
  "user: one",
  "says: two",
  `user: three ${SECRET}`,
  "says: four",
  "moves: e2",
  "user: six",
  "labels e1: start",
  "names: numbers",
);

const open = async ({ parts }: TestHome, path: string) =>
  requireStore(await openStore(path, { ...parts, mode: "follower" }));

/** The ids by their numbers, as far as a store finds them. */
async function idsIn(store: Store): Promise<Readonly<Record<number, string>>> {
  const found: Record<number, string> = {};
  for (let number = 1; number <= (await store.lastNumber()); number++) {
    const entry = await store.entryByNumber(number);
    if (entry) found[number] = entry.id;
    expect(entry?.number ?? number).toBe(number);
  }
  return found;
}

describe("a copy of a session", () => {
  const all = { 1: "e1", 2: "e2", 3: "e3", 4: "e4", 5: "e5", 6: "e6", 7: "e7", 8: "e8" };

  test("NUM1 NUM2 finds each entry by its number after a restart", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    on.ends();
    const store = await open(on, path);
    expect([await idsIn(store), await store.lastNumber()]).toEqual([all, 8]);
    for (const unused of [0, -1, 9, 1.5, 2 ** 40]) expect(await store.entryByNumber(unused)).toBeUndefined();
  });

  test("NUM3 NUM4 by fork keeps the numbers, and does not reuse those of the entries it left out", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    const fork = await forkSession(path, { ...on.parts, leaf: "e6" });
    if (fork.type !== "forked") throw new Error(JSON.stringify(fork));
    const store = requireStore(await openStore(fork.path, on.parts));
    const held = await Session.open(store, on.parts.runtime ?? testRuntime());
    expect(store.header.pith).toEqual({ format: 1, lastNumber: 8 });
    // Behind the branch stand the label and the name that it has in its new file.
    expect(Object.keys(await idsIn(store)).map(Number)).toEqual([1, 2, 5, 6, 9, 10]);
    for (const number of [1, 2, 5, 6])
      expect(await store.entryByNumber(number)).toEqual(branches.find((entry) => entry.number === number));
    for (const behind of [3, 4, 7, 8]) expect(await store.entryByNumber(behind)).toBeUndefined();
    await held.append({ type: "custom", customType: "next" });
    expect((await store.entry(held.leaf ?? ""))?.number).toBe(11);
  });

  test("NUM4 by fork of a fork, or as an empty fork, does not reuse numbers", async () => {
    const ports = testRuntime();
    const store = MemoryStore.create(ports);
    const held = await Session.open(store, ports);
    for (const customType of ["a", "b", "c"]) await held.append({ type: "custom", customType });
    const empty = MemoryStore.open(await held.fork({ leaf: null }), ports);
    const again = MemoryStore.open(await (await Session.open(empty, ports)).fork(), ports);
    expect([await again.lastNumber(), again.header.pith]).toEqual([3, { format: 1, lastNumber: 3 }]);
    const last = await Session.open(again, ports);
    await last.append({ type: "custom", customType: "d" });
    expect((await again.entryByNumber(4))?.id).toBe(last.leaf);
  });

  test("NUM3 by clone keeps the numbers", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    const clone = await cloneSession(path, on.parts);
    if (clone.type !== "cloned") throw new Error(clone.why);
    expect(await idsIn(await open(on, clone.path))).toEqual(all);
  });

  test("NUM3 NUM4 by export for pi keeps the numbers, also of a fork, and also when it is cloned or opened", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    const fork = await forkSession(path, { ...on.parts, leaf: "e2" });
    if (fork.type !== "forked") throw new Error(JSON.stringify(fork));
    for (const source of [path, fork.path]) {
      const to = `${source}.exported`;
      expect((await exportForPi(source, to, on.parts)).type).toBe("exported");
      const [before, after] = [await open(on, source), await open(on, to)];
      expect([await idsIn(after), await after.lastNumber()]).toEqual([await idsIn(before), await before.lastNumber()]);
      expect(after.header.pith?.format).toBeUndefined();
      const clone = await cloneSession(to, on.parts);
      if (clone.type !== "cloned") throw new Error(clone.why);
      const imported = await open(on, clone.path);
      expect([await idsIn(imported), await imported.lastNumber()]).toEqual([
        await idsIn(before),
        await before.lastNumber(),
      ]);
    }
  });

  test("NUM3 by purge keeps the numbers", async () => {
    const on = createTestHome();
    const path = await createTestSession(on.parts, { entries: branches });
    expect(await purgeSession(path, { ...on.parts, redaction })).toMatchObject({ type: "purged", lines: 1 });
    expect(await idsIn(await open(on, path))).toEqual(all);
  });
});

describe("NUM5 a line without a number", () => {
  const bytes = file(piHeader, chain(4));

  test("NUM5 gets the next number in file order, and opening writes nothing", async () => {
    const on = createTestHome();
    on.files.addFile(PI, bytes);
    for (const store of [await open(on, PI), MemoryStore.open(bytes, testRuntime())])
      expect([await idsIn(store), await store.lastNumber()]).toEqual([{ 1: "e1", 2: "e2", 3: "e3", 4: "e4" }, 4]);
    expect(on.files.readBytes(PI)).toEqual(bytes);
  });

  test("NUM5 stays unchanged; entries that Pith appends have their numbers, and those of pi get the next ones", async () => {
    const on = createTestHome();
    on.files.addFile(PI, bytes);
    const store = requireStore(await openStore(PI, on.parts));
    const held = await Session.open(store, testRuntime());
    await held.append({ id: "e5", type: "custom", customType: "ours" });
    const text = Buffer.from(on.files.readBytes(PI)).toString();
    expect(text.startsWith(Buffer.from(bytes).toString())).toBe(true);
    expect(text.slice(bytes.length)).toContain('Z","number":5,"customType":"ours"');
    on.files.addFile(PI, Buffer.from(`${text}${note("e6", "e5")}\n`));
    expect(await (await open(on, PI)).entryByNumber(6)).toMatchObject({ id: "e6", number: 6 });
  });

  test("NUM5 gets its number written in a fork, a clone and an export; a purge changes no number", async () => {
    const on = createTestHome();
    const theirs = file(
      piHeader,
      note("e1", null),
      note("e2", "e1"),
      note("e3", "e1"),
      note("e4", "e3", `,"x":"${SECRET}"`),
    );
    on.files.addFile(PI, theirs);
    const fork = await forkSession(PI, { ...on.parts, leaf: "e4" });
    const clone = await cloneSession(PI, on.parts);
    if (fork.type !== "forked" || clone.type !== "cloned") throw new Error("not copied");
    await exportForPi(PI, "/pi/exported.jsonl", on.parts);
    for (const copy of [fork.path, clone.path, "/pi/exported.jsonl"]) {
      const { lines } = decodeSession(on.files.readBytes(copy), testRuntime());
      for (const { entry, text } of lines)
        expect([`e${entry.number}`, text()?.includes(`"number":${entry.number},`)]).toEqual([entry.id, true]);
    }
    expect(await purgeSession(PI, { ...on.parts, redaction })).toMatchObject({ type: "purged", lines: 1 });
    expect(await idsIn(await open(on, PI))).toEqual({ 1: "e1", 2: "e2", 3: "e3", 4: "e4" });
  });

  test("NUM5 has a number also if only the end of the file was read", async () => {
    const on = createTestHome();
    on.files.addFile(PI, bytes);
    const held = await Session.open(requireStore(await openStore(PI, on.parts)), testRuntime());
    await held.loadState();
    expect(held.branch.entries.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test.each([
    ["two files that were joined", [1, 2, 1, 2], [1, 2, 3, 4]],
    ["no number at all", ['"7"', -3, 1.5, "null"], [1, 2, 3, 4]],
    ["numbers that are too large", [10 ** 12, 5, 6, 2 ** 27], [1, 5, 6, 7]],
    ["numbers of a fork that pi made", [2, 7, undefined, 9], [2, 7, 8, 9]],
  ])("NUM1 with %s, no number is used twice", async (_, steps, had) => {
    const numberOn = (line: string, number: unknown): string =>
      number === undefined ? line : line.replace(/("timestamp":"[^"]*")/, `$1,"number":${String(number)}`);
    const lines = chain(4).map((line, at) => numberOn(line, steps[at]));
    const on = createTestHome();
    for (const content of [file(piHeader, lines), file(withTrailers(ourHeader, ...lines))]) {
      on.files.addFile(PI, content);
      for (const store of [await open(on, PI), MemoryStore.open(content, testRuntime())])
        expect((await store.branchEntries("e4")).map(({ number }) => number)).toEqual(had);
    }
  });
});

describe("NUM6 damage does not change numbers", () => {
  const lines = [1, 2, 3, 4].map((at) =>
    note(`e${at}`, at === 1 ? null : `e${at - 1}`).replace('Z"', `Z","number":${at}`),
  );

  test.each([
    ["a line that cannot be read", [lines[0], "garbage", lines[2], lines[3]], [1, 2, 3, 4]],
    ["a missing line", [lines[0], lines[2], lines[3]], [1, undefined, 3, 4]],
    ["a circle", [lines[0], lines[1]?.replace('"e1"', '"e2"'), lines[2], lines[3]], [1, undefined, 2, 3, 4]],
  ])("NUM6 with %s, also after a clone", async (_, damaged, numbers) => {
    const on = createTestHome();
    on.files.addFile(
      PI,
      file(
        piHeader,
        damaged.flatMap((line) => line ?? []),
      ),
    );
    const clone = await cloneSession(PI, on.parts);
    if (clone.type !== "cloned") throw new Error(clone.why);
    for (const path of [PI, clone.path])
      expect((await (await open(on, path)).branchEntries("e4")).map(({ number }) => number)).toEqual(numbers);
  });

  test("NUM6 a damaged line with a readable number keeps it, and is opened as a gap", async () => {
    const forked = [3, 7, 9].map((number, at) =>
      note(`e${at + 1}`, at === 0 ? null : `e${at}`).replace('Z"', `Z","number":${number}`),
    );
    const [one, two, three] = withTrailers(...forked);
    const header = ourHeader.replace('"format":1', '"format":1,"lastNumber":500');
    const bytes = file(withTrailers(header), one ?? "", (two ?? "").replace("note", "nope"), three ?? "");
    const store = MemoryStore.open(bytes, testRuntime());
    expect([(await store.entryByNumber(7))?.type, await store.lastNumber()]).toEqual(["gap", 500]);
  });
});

test("NUM2 an entry is found with one read, however long the file", async () => {
  for (const count of [1_000, 50_000]) {
    const on = createTestHome();
    on.files.addFile(PI, file(withTrailers(ourHeader, ...chain(count))));
    const counted = counting(on.files);
    const store = requireStore(await openStore(PI, { ...on.parts, files: counted.files, mode: "follower" }));
    await store.prepareIndex();
    const before = counted.reads();
    for (const number of [1, count / 2, count]) expect((await store.entryByNumber(number))?.id).toBe(`e${number}`);
    expect(counted.reads() - before).toBe(3);
  }
});

test("NUM1 a used number is rejected; the same entry again is not", async () => {
  const store = MemoryStore.open(file(piHeader, chain(3)), testRuntime());
  const entry: Entry = { type: "custom", id: "x", parentId: "e3", timestamp: "t", number: 3, customType: "note" };
  await expect(store.append([entry], { expectedLeaf: "e3" })).rejects.toThrow(
    "entry x has number 3, but 3 is already in use",
  );
  const third = await store.entry("e3");
  if (!third) throw new Error("e3 is not there");
  expect([third.number, await store.append([third], { expectedLeaf: "e2" })]).toEqual([
    3,
    { type: "appended", leaf: "e3" },
  ]);
});
