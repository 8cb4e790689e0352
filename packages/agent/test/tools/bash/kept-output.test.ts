/** Tests that output beyond the limit is stored, and that the result names where. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createMemoryBlobs } from "../../../src/memory-blobs.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import type { BlobStore } from "../../../src/ports.ts";
import { bashTool } from "../../../src/tools/bash/bash.ts";
import { call, folder, toolIn } from "../../support/bash-tool.ts";

/** Counts what is begun and not ended. */
function countedBlobs(blobs: BlobStore = createMemoryBlobs()) {
  const open = new Set<object>();
  const kept: string[] = [];
  const counted: BlobStore = {
    ...blobs,
    keep: async (bytes) => {
      kept.push("at once");
      return blobs.keep(bytes);
    },
    createWriter: () => {
      const draft = blobs.createWriter();
      open.add(draft);
      return {
        write: (chunk) => draft.write(chunk),
        keep: () => {
          open.delete(draft);
          kept.push("piece by piece");
          return draft.keep();
        },
        drop: () => {
          open.delete(draft);
          draft.drop();
        },
      };
    },
  };
  return { blobs: counted, open, kept };
}

async function textIn(blobs: BlobStore, hash = ""): Promise<string> {
  const read = await blobs.read(hash, { start: 0, end: 10_000_000 });
  return read.type === "read" ? Buffer.from(read.bytes).toString() : read.why;
}

const numbers = (last: number): string => Array.from({ length: last }, (_, at) => `${at + 1}\n`).join("");

test("BASH16 a long output is stored whole, and the result ends with its reference", async () => {
  const { blobs, open } = countedBlobs();
  const { text, details } = await call(toolIn(folder(), { blobs }), { command: "seq 100000; exit 3" });
  expect(text).toMatch(/\n100000\n\nexit code 3\n\[full output, 575.1 KB: read blob:[0-9a-f]{8}\]$/);
  expect(text).toContain(`blob:${details.blob?.slice(0, 8)}]`);
  expect(await textIn(blobs, details.blob)).toBe(numbers(100_000));
  expect(open.size).toBe(0);
});

test("BASH16 an output of few bytes and many lines is stored whole", async () => {
  const { blobs, kept } = countedBlobs();
  const { details } = await call(toolIn(folder(), { blobs }), { command: "seq 5000" });
  expect(kept).toEqual(["at once"]);
  expect(await textIn(blobs, details.blob)).toBe(numbers(5_000));
});

test.each([
  ["a short output", "seq 100"],
  ["a long output whose lines overwrite each other", "for i in $(seq 20000); do printf '%s of 20000\\r' $i; done"],
])("BASH16 %s is shown whole and not stored", async (_, command) => {
  const { blobs, open, kept } = countedBlobs();
  const { text, details } = await call(toolIn(folder(), { blobs }), { command });
  expect(text).not.toContain("blob:");
  expect(details).toMatchObject({ truncated: false });
  expect({ open: open.size, kept }).toEqual({ open: 0, kept: [] });
});

test("BASH16 the result gives the size or the reason if the output was not stored whole", async () => {
  const little = createMemoryBlobs();
  const blobs: BlobStore = {
    ...little,
    createWriter: () => ({
      ...little.createWriter(),
      write: () => {},
      keep: async () => ({ type: "kept", hash: "ab", bytes: 1e6, isWhole: false }),
    }),
  };
  expect((await call(toolIn(folder(), { blobs }), { command: "seq 2000000" })).text).toMatch(
    /\n\[the first 976.6 KB of 14.2 MB: read blob:ab\]$/,
  );
  const none: BlobStore = {
    ...little,
    createWriter: () => ({
      ...little.createWriter(),
      write: () => {},
      keep: async () => ({ type: "unavailable", why: "the disk is full" }),
    }),
  };
  expect((await call(toolIn(folder(), { blobs: none }), { command: "seq 20000" })).text).toMatch(
    /\n\[the full output could not be stored: the disk is full\]$/,
  );
});

test("BASH16 output of a job since the last check is stored at the next check, and dropped if there is none", async () => {
  const { blobs, open } = countedBlobs();
  const tool = toolIn(folder(), { blobs });
  await call(tool, { command: "seq 20000", background: true });
  const look = await call(tool, { job: "job-1", wait: 60 });
  expect(look.text).toMatch(
    /\n20000\n\njob-1 has ended: exit code 0\n\[full output, 106.3 KB: read blob:[0-9a-f]{8}\]$/,
  );
  expect(await textIn(blobs, look.details.blob)).toBe(numbers(20_000));
  expect((await call(tool, { job: "job-1" })).text).toBe("(no new output)\n\njob-1 has ended: exit code 0");
  await call(tool, { command: "seq 20000; sleep 60", background: true });
  while (open.size === 0) await sleep(20);
  await tool.dispose();
  expect(open.size).toBe(0);
});

test("BASH16 a shell that throws leaves no unfinished blob", async () => {
  const { blobs, open } = countedBlobs();
  const broken = bashTool(
    {
      run: async (_, { onOutput }) => {
        onOutput(new Uint8Array(100_000));
        throw new Error("broken");
      },
    },
    { blobs },
  );
  await expect(call(broken, { command: "true" })).rejects.toThrow("broken");
  expect(open.size).toBe(0);
});

test.each([8_000, 20_000, 50_000])("BASH15 a result has at most its limit of %d bytes", async (room) => {
  const tool = bashTool(nodeShell({ root: folder(), environment: { PATH: process.env.PATH } }), {
    blobs: createMemoryBlobs(),
  });
  for (const command of ["seq 200000; exit 3", "head -c 200000 /dev/zero | tr '\\0' x"]) {
    const { text } = await call(tool, { command }, { maxOutputBytes: room });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(room);
    expect(Buffer.byteLength(text)).toBeGreaterThan(Math.min(room, 12_000) * 0.7);
  }
});
