/** Bytes of files while they are worked on. */

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Reads } from "../../../src/tools/files/reads.ts";
import { useBytes } from "../../../src/tools/files/use-bytes.ts";
import type { WorkspaceFiles } from "../../../src/workspace.ts";

test.each([
  ["large", 8_000_000, 1],
  ["small", 1_000, 20],
])("FILE24 of twenty %s files the bytes of at most %3$d are in use together", async (_, size, most) => {
  const { signal } = new AbortController();
  const files: Pick<WorkspaceFiles, "read"> = {
    read: async (_path, { mostBytes = Number.POSITIVE_INFINITY } = {}) =>
      size > mostBytes ? { type: "too-large", message: "" } : { type: "read", bytes: new Uint8Array(1) },
  };
  const parts = { files: files as WorkspaceFiles, reads: new Reads() };
  let [inUse, peak] = [0, 0];
  const use = async (): Promise<void> => {
    inUse += 1;
    peak = Math.max(peak, inUse);
    await setImmediate();
    inUse -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, (_each, at) => useBytes({ at: `/${at}`, signal }, parts, use)));
  expect(peak).toBe(most);
});
