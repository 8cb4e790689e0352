/** Tests that the store, which reads from the end of the file, detects flipped bits like the full decoder, or that they are harmless. */

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { Entry } from "../../../src/entry.ts";
import { type Files, realFiles } from "../../../src/node/files.ts";
import { openStore } from "../../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import type { Store } from "../../../src/session/store.ts";
import { chain, file, ourHeader, withTrailers } from "../../format/specimen.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";
import { isLong } from "../../support/test-length.ts";
import { temporaryFolder } from "./disks.ts";

const short = chain(40).map((line) => line.replace(/,"timestamp".*/, "}").replace("custom", "x"));
const bytes = file(withTrailers(ourHeader, ...short));
const untouched = await reachable(MemoryStore.open(bytes, nodeRuntime));

test("D8 a flip of any tested bit is reported: every second bit of a file of 40 entries", async () => {
  const files = new FaultyFiles();
  const flips = Array.from({ length: bytes.length * 4 }, (_, half) => half * 2 + ((half >> 2) % 2));
  await expectNoticed(flips, { files, path: "/s/one.jsonl", put: (flipped) => files.addFile("/s/one.jsonl", flipped) });
});

test("D8 a flip of one bit in any byte is reported, on a real disk", async () => {
  const path = join(temporaryFolder(), "one.jsonl");
  const flips = Array.from({ length: bytes.length }, (_, at) => at * 8 + (at % 8));
  // Over what stands there: a file that is made empty first waits for the disk when it is closed.
  const descriptor = openSync(path, "w");
  const put = (flipped: Uint8Array): void => void writeSync(descriptor, flipped, 0, flipped.length, 0);
  await expectNoticed(flips, { files: realFiles, path, put });
  closeSync(descriptor);
});

interface TestSession {
  readonly files: Files;
  readonly path: string;
  put(bytes: Uint8Array): void;
}

async function expectNoticed(flips: readonly number[], { files, path, put }: TestSession): Promise<void> {
  const silent: number[] = [];
  let fewest = 40;
  let unnamed = 0;
  const step = isLong ? 1 : 11;
  for (let at = Math.floor(Math.random() * step); at < flips.length; at += step) {
    const bit = flips[at] ?? 0;
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    put(flipped);
    const opened = await openStore(path, { files, mode: "follower", runtime: nodeRuntime });
    if (opened.type !== "opened") throw new Error(`bit ${bit}: ${JSON.stringify(opened)}`);
    await opened.store.prepareIndex();
    const { damage } = opened.store;
    const entries = await reachable(opened.store);
    await opened.store.close();
    if (damage.length === 0 && !isDeepStrictEqual(entries, untouched)) silent.push(bit);
    if (damage.length === 0) unnamed++;
    fewest = Math.min(fewest, entries.filter(({ type }) => type !== "gap").length);
  }
  expect(silent).toEqual([]);
  // Only the last line end may change unseen, into a space of another kind.
  expect(unnamed).toBeLessThanOrEqual(1);
  // The end of a line between two entries takes both with it.
  expect(fewest).toBeGreaterThanOrEqual(38);
}

/** All entries that hang in the tree. */
async function reachable(store: Store): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  const waiting = [...(await store.children(null))];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    found.push(entry);
    waiting.push(...(await store.children(entry.id)));
  }
  return found;
}
