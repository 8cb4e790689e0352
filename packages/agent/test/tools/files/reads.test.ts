/** The memory of what was read, and the order of acts at one file. */

import { expect, test } from "vitest";
import { hashOf } from "../../../src/bytes/hash-of.ts";
import { Reads } from "../../../src/tools/files/reads.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("FILE8 what an earlier run of the program knew can be handed over", async () => {
  const reads = new Reads([["/a", await hashOf(bytes("old"))]]);
  expect(await reads.knowledge("/a", bytes("old"))).toBe("fresh");
  expect(await reads.knowledge("/a", bytes("new"))).toBe("stale");
  expect(await reads.knowledge("/b", bytes("old"))).toBe("unread");
});

test("FILE9 acts at one file come one after the other, those at different files at once", async () => {
  const reads = new Reads();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const acts = [
    reads.inTurn("/a", async () => void done.push("a1", await first.promise.then(() => "a1 ended"))),
    reads.inTurn("/a", async () => void done.push("a2")),
    reads.inTurn("/b", async () => void done.push("b")),
  ];
  await acts[2];
  expect(done).toEqual(["b"]);
  first.resolve();
  await Promise.all(acts);
  expect(done).toEqual(["b", "a1", "a1 ended", "a2"]);
});

test("FILE9 an act that fails does not hold up the next", async () => {
  const reads = new Reads();
  const failing = reads.inTurn("/a", () => Promise.reject(new Error("no")));
  const next = reads.inTurn("/a", async () => "yes");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
