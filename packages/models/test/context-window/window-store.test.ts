/** Tests context-window/window-store.ts: in memory and in a file. */

import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  createFileWindowStore,
  createMemoryWindowStore,
  setEntry,
  type WindowStore,
} from "../../src/context-window/window-store.ts";

const folder = mkdtempSync(join(tmpdir(), "pith-windows-"));
const path = join(folder, "inside", "windows.json");
const learnt = {
  ratio: 0.9,
  most: 9_000,
  window: 8_192,
  from: "truncation",
  cut: { estimate: 20_000, reported: 8_192 },
  cuts: 2,
  served: 32_768,
} as const;
const limit = { ratio: 1, window: 16_384, from: "overflow", at: 1_000, named: 2 } as const;
const doubt = { ratio: 1, at: 1_000, doubted: 4_000 } as const;

afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => rmSync(join(folder, "inside"), { recursive: true, force: true }));

describe.each([
  ["memory", () => createMemoryWindowStore()],
  ["a file", () => createFileWindowStore(path)],
] as const)("in %s", (_, memory: () => WindowStore) => {
  test("SEE10 a new store is empty", async () => {
    expect(await memory().read()).toEqual({ windows: {}, error: null });
  });

  test("SEE10 stores each endpoint and model until it is removed", async () => {
    const kept = memory();
    await kept.write("here one", learnt);
    await Promise.all([kept.write("here two", limit), kept.write("there one", doubt)]);
    expect((await kept.read()).windows).toEqual({ "here one": learnt, "here two": limit, "there one": doubt });
    await kept.write("here one", null);
    expect((await kept.read()).windows).toEqual({ "here two": limit, "there one": doubt });
  });
});

test("SEE10 keeps the windows of two programs that use one file", async () => {
  await createFileWindowStore(path).write("one", learnt);
  await createFileWindowStore(path).write("two", limit);
  expect((await createFileWindowStore(path).read()).windows).toEqual({ one: learnt, two: limit });
});

test("SEE10 loses no window if programs write to one file at the same time", async () => {
  const keys = [0, 1, 2, 3].map((writer) => [0, 1, 2, 3, 4].map((key) => `${writer} ${key}`));
  await Promise.all(
    keys.flatMap((own) => {
      const memory = createFileWindowStore(path);
      return own.map((key) => memory.write(key, limit));
    }),
  );
  expect(Object.keys((await createFileWindowStore(path).read()).windows).sort()).toEqual(keys.flat());
  expect(readdirSync(join(folder, "inside"))).toEqual(["windows.json"]);
});

test("SEE10 removes a lock whose owner died", async () => {
  mkdirSync(join(folder, "inside"));
  writeFileSync(`${path}.lock`, "1\n");
  await createFileWindowStore(path).write("one", limit);
  expect((await createFileWindowStore(path).read()).windows).toEqual({ one: limit });
  expect(readdirSync(join(folder, "inside"))).toEqual(["windows.json"]);
});

test("SEE10 does not overwrite a file that cannot be read", async () => {
  mkdirSync(join(folder, "inside"));
  symlinkSync(path, path);
  await expect(createFileWindowStore(path).write("one", limit)).rejects.toThrow("ELOOP");
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
});

test.runIf(process.platform === "linux")("SEE10 fails at once if the folder cannot be created", async () => {
  await expect(createFileWindowStore("/proc/nope/windows.json").write("one", limit)).rejects.toThrow("ENOENT");
});

test("SEE10 writes a file that only its owner can read, and leaves no temporary file", async () => {
  await createFileWindowStore(path).write("one", learnt);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "inside"))).toEqual(["windows.json"]);
});

test("SEE10 reports a damaged file and reads it as empty, and the next write repairs it", async () => {
  await createFileWindowStore(path).write("one", learnt);
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 20));
  const { windows, error } = await createFileWindowStore(path).read();
  expect(windows).toEqual({});
  expect(error).toBe(`${path} is damaged; the context windows in it will be learned again`);
  await createFileWindowStore(path).write("two", limit);
  expect(await createFileWindowStore(path).read()).toEqual({ windows: { two: limit }, error: null });
});

test("SEE10 ignores invalid entries", async () => {
  await createFileWindowStore(path).write("one", limit);
  const odd = { two: 3, three: { ratio: "x" }, four: { ratio: 1, window: -1, from: "overflow", cut: {} }, five: null };
  writeFileSync(path, JSON.stringify({ one: limit, ...odd }));
  expect((await createFileWindowStore(path).read()).windows).toEqual({ one: limit, four: { ratio: 1 } });
});

test("SEE10 reports a file that cannot be read, and a failed write leaves no files behind", async () => {
  mkdirSync(path, { recursive: true });
  expect((await createFileWindowStore(path).read()).error).toContain("cannot be read");
  const memory = createFileWindowStore(path);
  await expect(memory.write("one", limit)).rejects.toThrow();
  expect(readdirSync(join(folder, "inside"))).toEqual(["windows.json"]);
  rmSync(path, { recursive: true });
  await memory.write("two", limit);
  expect((await memory.read()).windows).toEqual({ two: limit });
});

test("SEE10 removes the oldest entries first", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, limit]));
  const more = setEntry(setEntry(many, { key: "k0", learned: learnt }), { key: "new", learned: learnt });
  expect(Object.keys(more)).toHaveLength(500);
  expect(more).toMatchObject({ k0: learnt, new: learnt });
  expect(more).not.toHaveProperty("k1");
});
