/** Tests that only the owner can read session files, whatever the umask. */

import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { indexPath, realFiles } from "../../../src/node/files.ts";
import { chain, file, joined, ourHeader, piHeader, withTrailers } from "../../format/specimen.ts";
import { temporaryFolder } from "./disks.ts";
import { append, simulateProcesses } from "./simulate-processes.ts";

let usual = 0;
beforeEach(() => {
  usual = process.umask(0);
});
afterEach(() => void process.umask(usual));

test("DISK5 S5 only the owner can read a new session, its lease, its index and its folders", async () => {
  const root = temporaryFolder();
  const path = join(root, "sessions/project/s.jsonl");
  const store = await simulateProcesses(realFiles).create(path);
  await append(store, "a");
  const long = { type: "custom", id: "b", parentId: "a", timestamp: "t", customType: "x", data: "x".repeat(2 ** 21) };
  await store.append([long as never], { expectedLeaf: "a" });
  const leased = modesIn(root);
  await store.close();
  expect(realFiles.stat(indexPath(path))?.kind).toBe("file");
  expect(leased.filter(([name]) => name.includes("lease")).length).toBe(1);
  expect([...leased, ...modesIn(root)].filter(isOpen)).toEqual([]);
});

test("S5 only the owner can read saved torn bytes, even if others could read the file", async () => {
  const root = temporaryFolder();
  const path = join(root, "s.jsonl");
  writeFileSync(path, joined(file(withTrailers(ourHeader, ...chain(2))), Uint8Array.of(0x7b)));
  chmodSync(path, 0o644);
  await append(await simulateProcesses(realFiles).open(path), "a");
  expect(modesIn(root).filter(isOpen)).toEqual([["s.jsonl", "644"]]);
});

test("S5 only the owner can read a migrated session and its backup", async () => {
  const root = temporaryFolder();
  const path = join(root, "s.jsonl");
  writeFileSync(path, file(piHeader.replace('"version":3', '"version":2'), chain(2)));
  chmodSync(path, 0o644);
  await append(await simulateProcesses(realFiles).open(path), "a");
  expect(modesIn(root).map(([name]) => name)).toContain("s.jsonl.bak");
  expect(modesIn(root).filter(isOpen)).toEqual([]);
});

type Mode = readonly [name: string, mode: string];

function modesIn(root: string): readonly Mode[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.map((name) => [name, (statSync(join(root, name)).mode & 0o777).toString(8)]);
}

function isOpen([, mode]: Mode): boolean {
  return mode !== "600" && mode !== "700";
}
