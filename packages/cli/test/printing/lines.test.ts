/** Lines for a reader who is slow, or leaves. */

import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { linesTo } from "../../src/printing/lines.ts";

/** It takes a line when it is told to. */
function reader() {
  const waiting: ((error?: Error) => void)[] = [];
  const stream = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => void waiting.push(done) });
  return { lines: linesTo(stream), read: (error?: Error) => waiting.shift()?.(error) };
}

test("JSON4 a slow reader is waited for, and nothing is waited for while there is room", async () => {
  const { lines, read } = reader();
  expect(lines.write("a\n")).toBeUndefined();
  const room = lines.write("a longer line\n");
  let isFree = false;
  void room?.then(() => {
    isFree = true;
  });
  await Promise.resolve();
  expect(isFree).toBe(false);
  read();
  read();
  await room;
  expect(isFree).toBe(true);
  expect(await flushed(lines, read)).toBeNull();
});

test("JSON4 a reader who leaves frees whoever waits, hears no more, and is no fault; a full disk is one", async () => {
  const left = reader();
  let hasLeft = false;
  left.lines.onLeft(() => {
    hasLeft = true;
  });
  const room = left.lines.write("a line that is too long\n");
  left.read(Object.assign(new Error("EPIPE"), { code: "EPIPE" }));
  await room;
  expect([hasLeft, left.lines.hasLeft, left.lines.write("more\n")]).toEqual([true, true, undefined]);
  expect(await left.lines.flushed()).toBeNull();
  const full = reader();
  const late = full.lines.write("a line that is too long\n");
  full.read(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
  await late;
  expect(await full.lines.flushed()).toBe("the lines could not be written: ENOSPC");
});

async function flushed(lines: ReturnType<typeof linesTo>, read: () => void): Promise<string | null> {
  const done = lines.flushed();
  read();
  return await done;
}
