/** Tests node/blobs.ts: blob folder, spilled output. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyBlobs, findBlobs, keepBlob, readBlob } from "../../src/node/blobs.ts";
import { blobFolder } from "../../src/node/files.ts";
import { FaultyFiles } from "../support/faulty-files/faulty-files.ts";
import { crashAtEveryStep, createTestHome } from "./sessions/test-home.ts";

describe("blob folder", () => {
  const path = "/s/a.jsonl";
  const content = Buffer.from("a picture of a cat ".repeat(100));
  const hash = createHash("sha256").update(content).digest("hex");
  const disk = (): FaultyFiles => {
    const files = new FaultyFiles();
    files.addFile(path, Buffer.from("{}\n"));
    return files;
  };

  test("a stored blob can be read, completely and in ranges", async () => {
    const files = disk();
    expect(await keepBlob(path, content, { files })).toEqual({ type: "kept", hash, bytes: 1900 });
    expect(await readBlob(path, hash, { files })).toEqual({ type: "read", bytes: new Uint8Array(content), size: 1900 });
    const page = async (start: number, end: number): Promise<string> => {
      const read = await readBlob(path, hash, { files, range: { start, end } });
      return read.type === "read" ? `${Buffer.from(read.bytes).toString()}/${read.size}` : read.type;
    };
    expect(await page(2, 9)).toBe("picture/1900");
    expect(await page(1896, 5000)).toBe("cat /1900");
    expect(await page(5000, 6000)).toBe("/1900");
    expect(await page(-5, 3)).toBe("a p/1900");
  });

  test("BLOB1 the same content again writes nothing", async () => {
    const files = disk();
    await keepBlob(path, content, { files });
    const before = files.log.length;
    await keepBlob(path, content, { files });
    const after = files.log.slice(before).map((call) => call.split(" ")[0]);
    expect(after.filter((call) => ["create", "append", "link", "rename", "remove"].includes(call ?? ""))).toEqual([]);
  });

  test("FILE25 blobs are found only by the first digits of their hashes", async () => {
    const files = disk();
    const none = { type: "found", blobs: [] };
    expect(await findBlobs(path, hash.slice(0, 8), { files })).toEqual(none);
    await keepBlob(path, content, { files });
    const other = await keepBlob(path, Buffer.from("another"), { files });
    files.addFile(join(blobFolder(path), "notes.txt"), Buffer.from("no blob"));
    for (const digits of [hash, hash.slice(0, 8)])
      expect(await findBlobs(path, digits, { files })).toEqual({ type: "found", blobs: [{ hash, bytes: 1900 }] });
    const hashes = [hash, other.type === "kept" ? other.hash : ""].sort();
    expect(await findBlobs(path, "", { files })).toMatchObject({ blobs: hashes.map((each) => ({ hash: each })) });
    for (const digits of ["notes", "..", hash.toUpperCase()])
      expect(await findBlobs(path, digits, { files })).toEqual(none);
  });

  test("an empty blob can be stored and read", async () => {
    const files = disk();
    const kept = await keepBlob(path, new Uint8Array(), { files });
    expect(await readBlob(path, kept.type === "kept" ? kept.hash : "", { files })).toMatchObject({
      type: "read",
      size: 0,
    });
  });

  test("BLOB1 changed content is reported when read, and repaired when stored again", async () => {
    const files = disk();
    await keepBlob(path, content, { files });
    files.addFile(join(blobFolder(path), hash), Buffer.from("a picture of a dog ".repeat(100)));
    expect(await readBlob(path, hash, { files })).toMatchObject({ type: "changed" });
    await keepBlob(path, content, { files });
    expect(await readBlob(path, hash, { files })).toMatchObject({ type: "read" });
  });

  describe("S10 S11 an invalid blob name reads and copies nothing", () => {
    test.each([
      "",
      "../a.jsonl",
      "..",
      "/etc/passwd",
      hash.toUpperCase(),
      `${hash}/..`,
      `${hash}\u0000`,
      ` ${hash}`,
      "0".repeat(64),
    ])("%j", async (wanted) => {
      const files = disk();
      await keepBlob(path, content, { files });
      expect(await readBlob(path, wanted, { files })).toMatchObject({ type: "none" });
      expect(await copyBlobs(path, "/s/b.jsonl", { files, hashes: [wanted] })).toMatchObject({ type: "copied" });
      expect(files.listPaths().filter((each) => !each.startsWith("/s/"))).toEqual([]);
    });

    test("a symbolic link in the place of a blob is not followed", async () => {
      const files = disk();
      files.addLink(join(blobFolder(path), hash));
      expect(await readBlob(path, hash, { files })).toMatchObject({ type: "none" });
    });
  });

  test("S5 a blob is readable only by its owner", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pith-blobs-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const before = process.umask(0);
    try {
      await keepBlob(join(folder, "a.jsonl"), content);
    } finally {
      process.umask(before);
    }
    expect(statSync(join(blobFolder(join(folder, "a.jsonl")), hash)).mode & 0o777).toBe(0o600);
    expect(statSync(blobFolder(join(folder, "a.jsonl"))).mode & 0o777).toBe(0o700);
  });

  test("a copy is a hard link where the disk supports it, and a separate file elsewhere", async () => {
    const files = disk();
    await keepBlob(path, content, { files });
    const copy = (to: string) => copyBlobs(path, to, { files, hashes: [hash, hash, "f".repeat(64)] });
    expect(await copy("/s/b.jsonl")).toEqual({ type: "copied", missing: ["f".repeat(64)] });
    const identity = (of: string) => files.stat(join(blobFolder(of), hash))?.identity;
    expect(identity("/s/b.jsonl")).toBe(identity(path));

    const before = files.operations;
    await copy("/s/c.jsonl");
    const linking = files.log.slice(-(files.operations - before)).findIndex((call) => call.startsWith("link ")) + 1;
    files.failAt(linking, "EXDEV");
    expect(await copy("/s/d.jsonl")).toMatchObject({ type: "copied" });
    expect(identity("/s/d.jsonl")).not.toBe(identity(path));
    expect(await readBlob("/s/d.jsonl", hash, { files })).toMatchObject({ type: "read" });
  });

  test("a full disk gives a message, stores nothing of the blob, and accepts it later", async () => {
    for (const room of [0, 1, 1000, 1899]) {
      const files = disk();
      files.freeBytes = room;
      expect(await keepBlob(path, content, { files })).toMatchObject({ type: "unavailable", code: "ENOSPC" });
      expect(files.freeBytes).toBe(room);
      files.freeBytes = undefined;
      expect(await keepBlob(path, content, { files })).toMatchObject({ type: "kept" });
    }
  });

  test("after a crash or power cut at any step, a blob is complete or absent, and a stored one stays", async () => {
    const ends = await crashAtEveryStep(
      async ({ files }) => files.addFile(path, Buffer.from("{}\n")),
      ({ parts }) => keepBlob(path, content, parts),
      async ({ parts }) => {
        const found = await readBlob(path, hash, parts);
        expect(["read", "none"]).toContain(found.type);
        expect(await keepBlob(path, content, parts)).toMatchObject({ type: "kept" });
        expect(await readBlob(path, hash, parts)).toMatchObject({ type: "read" });
      },
    );
    expect(ends).toBeGreaterThan(10);
    const { files, parts } = createTestHome();
    files.addFile(path, Buffer.from("{}\n"));
    await keepBlob(path, content, parts);
    files.cutPower(() => 0);
    expect(await readBlob(path, hash, parts)).toMatchObject({ type: "read" });
  });
});
