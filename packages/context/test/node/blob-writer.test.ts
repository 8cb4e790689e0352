/** Blobs that come piece by piece: whole or not at all, bounded, and never an exception. */

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BlobWriter } from "../../src/node/blob-writer.ts";
import { blobHashes, readBlob } from "../../src/node/blobs.ts";
import { blobFolder } from "../../src/node/files.ts";
import { FaultyFiles } from "../support/faulty-files/faulty-files.ts";
import { crashAtEveryStep, refuseAtEveryStep, type TestHome } from "./sessions/test-home.ts";

const path = "/s/a.jsonl";
const pieces = ["one ", "two ", "three "].map((word) => Buffer.from(word.repeat(500)));
const whole = Buffer.concat(pieces);
const hash = createHash("sha256").update(whole).digest("hex");
const kept = { type: "kept", hash, bytes: whole.length, isWhole: true };

const blobsOf = (files: FaultyFiles): readonly string[] => files.listPaths().filter((each) => each.includes("/blobs/"));

function drafted(files: FaultyFiles, quota?: number): BlobWriter {
  const draft = new BlobWriter(path, { files, ...(quota !== undefined && { quota }) });
  for (const piece of pieces) draft.write(piece);
  return draft;
}

test("BLOB3 chunks become one blob, named by the hash of the whole content", async () => {
  const files = new FaultyFiles();
  expect(await drafted(files).keep()).toEqual(kept);
  expect(await readBlob(path, hash, { files })).toEqual({ type: "read", bytes: new Uint8Array(whole), size: 7000 });
  expect(await drafted(files).keep()).toEqual(kept);
  expect(blobsOf(files)).toEqual([join(blobFolder(path), hash)]);
});

test("BLOB3 a dropped blob leaves no file, an unwritten one creates none, and a finished one does not change", async () => {
  const files = new FaultyFiles();
  new BlobWriter(path, { files }).drop();
  expect(files.operations).toBe(0);
  drafted(files).drop();
  expect(blobsOf(files)).toEqual([]);
  const draft = drafted(files);
  await draft.keep();
  draft.write(Buffer.from("late"));
  draft.drop();
  expect(await readBlob(path, hash, { files })).toMatchObject({ type: "read", size: whole.length });
  await expect(draft.keep()).rejects.toThrow("already kept or dropped");
});

test("BLOB4 bytes beyond the quota are dropped, and the beginning is stored", async () => {
  for (const quota of [0, 1, 2000, 4500, whole.length - 1]) {
    const files = new FaultyFiles();
    const start = whole.subarray(0, quota);
    const outcome = await drafted(files, quota).keep();
    const name = createHash("sha256").update(start).digest("hex");
    expect(outcome).toEqual({ type: "kept", hash: name, bytes: quota, isWhole: false });
    expect(await readBlob(path, name, { files })).toMatchObject({ type: "read", bytes: new Uint8Array(start) });
  }
  expect(await drafted(new FaultyFiles(), whole.length).keep()).toEqual(kept);
});

test("BLOB5 a full disk gives a result, and the written bytes are freed at once", async () => {
  for (const room of [0, 1, 3000, whole.length - 1]) {
    const files = new FaultyFiles();
    files.freeBytes = room;
    const draft = drafted(files);
    expect(files.freeBytes).toBe(room);
    const refused = { type: "unavailable", code: "ENOSPC", why: expect.stringContaining("the disk is full") };
    expect(await draft.keep()).toEqual(refused);
    expect(await draft.keep()).toEqual(refused);
    draft.drop();
    expect(blobsOf(files)).toEqual([]);
  }
});

test("BLOB5 every disk error gives a result, and the next blob succeeds", async () => {
  const refusals = await refuseAtEveryStep(
    async () => {},
    async ({ files }) => drafted(files).keep(),
    async ({ files }, _, outcome) => {
      expect(["kept", "unavailable"]).toContain(outcome.type);
      expect(await drafted(files).keep()).toEqual(kept);
    },
  );
  expect(refusals).toBeGreaterThan(10);
});

test("BLOB5 after a crash or power cut at any step, the blob is complete or absent", async () => {
  const ends = await crashAtEveryStep(
    async () => {},
    async ({ files }) => drafted(files).keep(),
    async ({ files }: TestHome) => {
      const found = await readBlob(path, hash, { files });
      expect(["read", "none"]).toContain(found.type);
      expect(blobHashes(path, files).every((name) => name === hash)).toBe(true);
      expect(await drafted(files).keep()).toEqual(kept);
    },
  );
  expect(ends).toBeGreaterThan(10);
});

test("BLOB5 the next writer removes the files of a crashed process", async () => {
  const files = new FaultyFiles();
  const left = join(blobFolder(path), "draft-1-1700000000000-left");
  files.addFile(left, whole);
  const mine = drafted(files);
  await drafted(files).keep();
  expect(files.listPaths()).not.toContain(left);
  expect(await mine.keep()).toEqual(kept);
});

test("S5 a temporary blob is readable only by its owner, whatever the umask", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-drafts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const session = join(folder, "a.jsonl");
  const before = process.umask(0);
  const draft = new BlobWriter(session);
  try {
    draft.write(whole);
  } finally {
    process.umask(before);
  }
  const names = readdirSync(blobFolder(session));
  expect(names).toHaveLength(1);
  expect(statSync(join(blobFolder(session), names[0] ?? "")).mode & 0o777).toBe(0o600);
  expect(await draft.keep()).toEqual(kept);
  expect(statSync(join(blobFolder(session), hash)).mode & 0o777).toBe(0o600);
});
