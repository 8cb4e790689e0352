/** Tests that blobs in memory are bounded and the newest stay. */

import { expect, test } from "vitest";
import { createMemoryBlobs } from "../src/memory-blobs.ts";
import { blobsContract } from "./blobs-contract.ts";

blobsContract("in memory", () => createMemoryBlobs({ quota: 10 }));

test("BLOB7 keeps the newest blobs within the total limit", async () => {
  const blobs = createMemoryBlobs({ maxTotalBytes: 22 });
  const keep = async (text: string): Promise<string> => {
    const kept = await blobs.keep(new TextEncoder().encode(text));
    return kept.type === "kept" ? kept.hash : "";
  };
  const hashes: string[] = [];
  for (const text of ["one", "two", "one", "three", "four", "fifth blob"]) hashes.push(await keep(text));
  const there = hashes.map(async (hash) => (await blobs.read(hash, { start: 0, end: 1 })).type);
  expect(await Promise.all(there)).toEqual(["read", "read", "read", "read", "read", "read"]);
  await keep("six");
  const left = hashes.map(async (hash) => (await blobs.read(hash, { start: 0, end: 1 })).type);
  expect(await Promise.all(left)).toEqual(["read", "none", "read", "read", "read", "read"]);
});
