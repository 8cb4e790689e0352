/** Tests node/blobs.ts: originals folder, session blobs. */

import {
  chmodSync,
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
import { describe, expect, onTestFinished, test } from "vitest";
import { originalsFolder, sessionBlobs } from "../../src/node/blobs.ts";
import { hashBytes } from "../../src/text.ts";
import { blobsContract } from "../blobs-contract.ts";

describe("originals folder", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  function newFolder(): string {
    const home = mkdtempSync(join(tmpdir(), "pith-originals-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    return join(home, "restore", "session");
  }

  test("BACK5 stored bytes are read back unchanged, also by the next process", async () => {
    const folder = newFolder();
    const originals = originalsFolder(folder);
    for (const text of ["", "one", "\0\r\n\ufeff"]) {
      const hash = await originals.keep(bytes(text));
      expect(hash).toBe(await hashBytes(bytes(text)));
      expect(await originalsFolder(folder).read(hash ?? "")).toEqual(Buffer.from(text));
    }
    await originals.keep(bytes("one"));
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test.each([0o000, 0o077, 0o022])("BACK5 files and folder are owner-only, with umask %o", async (umask) => {
    const folder = newFolder();
    const before = process.umask(umask);
    const hash = await originalsFolder(folder)
      .keep(bytes("secret"))
      .finally(() => process.umask(before));
    expect(statSync(join(folder, hash ?? "")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "..")).mode & 0o777).toBe(0o700);
  });

  test("BACK5 an existing folder is made owner-only", async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    await originalsFolder(folder).keep(bytes("secret"));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("BACK5 does not follow a link in place of the folder or of a file", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "..", "elsewhere"), { recursive: true });
    symlinkSync("elsewhere", folder);
    expect(await originalsFolder(folder).keep(bytes("one"))).toBeNull();
    expect(readdirSync(join(folder, "..", "elsewhere"))).toEqual([]);

    rmSync(folder);
    const originals = originalsFolder(folder);
    const hash = await hashBytes(bytes("one"));
    mkdirSync(folder);
    writeFileSync(join(folder, "..", "target"), "one");
    symlinkSync("../target", join(folder, hash));
    expect(await originals.read(hash)).toBeNull();
    expect(await originals.keep(bytes("one"))).toBe(hash);
    expect(lstatSync(join(folder, hash)).isFile()).toBe(true);
  });

  test("BACK5 does not return changed bytes, nor anything for an invalid hash", async () => {
    const folder = newFolder();
    const originals = originalsFolder(folder);
    const hash = (await originals.keep(bytes("one"))) ?? "";
    writeFileSync(join(folder, hash), "two");
    expect(await originals.read(hash)).toBeNull();
    writeFileSync(join(folder, "..", "file"), "x");
    for (const name of ["../file", "", "0".repeat(64), `${hash}/..`]) expect(await originals.read(name)).toBeNull();
  });

  test("BACK5 does not store a file over its own limit or over the total limit", async () => {
    const folder = newFolder();
    const originals = originalsFolder(folder, { maxFileBytes: 10, maxTotalBytes: 15 });
    expect(await originals.keep(bytes("eleven byte"))).toBeNull();
    expect(await originals.keep(bytes("ten bytes!"))).not.toBeNull();
    expect(await originals.keep(bytes("ten bytes?"))).toBeNull();
    expect(await originals.keep(bytes("five!"))).not.toBeNull();
    expect(await originals.keep(bytes("ten bytes!"))).not.toBeNull();
    const next = originalsFolder(folder, { maxFileBytes: 10, maxTotalBytes: 15 });
    expect(await next.keep(bytes("1"))).toBeNull();
  });

  test("BACK5 returns a disk error as a value, and removes what a crash left", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file in the way");
    expect(await originalsFolder(folder).keep(bytes("one"))).toBeNull();
    expect(readFileSync(folder, "utf8")).toBe("a file in the way");
    rmSync(folder);
    mkdirSync(folder);
    writeFileSync(join(folder, ".pith-1"), "half");
    await originalsFolder(folder).keep(bytes("one"));
    expect(readdirSync(folder)).toEqual([await hashBytes(bytes("one"))]);
  });
});

describe("session blobs", () => {
  function newSession(): string {
    const folder = mkdtempSync(join(tmpdir(), "pith-session-blobs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, "a.jsonl");
  }

  blobsContract("beside a session", () => sessionBlobs(newSession(), { quota: 10 }));

  test("BLOB5 a blob that cannot be written gives a result", async () => {
    const file = newSession();
    writeFileSync(file, "");
    const blobs = sessionBlobs(join(file, "below.jsonl"));
    const draft = blobs.createWriter();
    draft.write(new Uint8Array(9));
    const unavailable = { type: "unavailable", why: expect.stringContaining("cannot be stored") };
    expect(await draft.keep()).toMatchObject(unavailable);
    expect(await blobs.keep(new Uint8Array(9))).toMatchObject(unavailable);
  });
});
