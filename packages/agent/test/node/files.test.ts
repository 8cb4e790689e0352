/** Tests node/files.ts: bounded reads, atomic writes, and messages for refusals. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/node/files.ts";
import type { WorkspaceFiles } from "../../src/ports.ts";

interface FilesFixture {
  readonly root: string;
  readonly files: WorkspaceFiles;
  at(name: string): string;
}

function createFiles(mostBytes?: number): FilesFixture {
  const root = mkdtempSync(join(tmpdir(), "pith-node-files-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = nodeFiles({ root, home: join(root, "home"), ...(mostBytes !== undefined && { maxBytes: mostBytes }) });
  return { root, files, at: (name) => join(root, name) };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Runs without root's rights, which ignore file permissions. */
async function asAnybody<Outcome>(root: string, act: () => Promise<Outcome>): Promise<Outcome> {
  if (process.getuid?.() !== 0) return act();
  chmodSync(root, 0o777);
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;

describe("reading", () => {
  test("FILE13 a path may be relative, absolute or start with ~", () => {
    const { root, files } = createFiles();
    const paths = ["a/../b", "/x/y", "~", "~/z", "~other/z", "."];
    const resolved = [`${root}/b`, "/x/y", `${root}/home`, `${root}/home/z`, `${root}/~other/z`, root];
    expect(paths.map((path) => files.resolve(path))).toEqual(resolved);
  });

  test("FILE13 reads all bytes, also through links", async () => {
    const { files, at } = createFiles();
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 256));
    writeFileSync(at("a"), content);
    symlinkSync("a", at("link"));
    const read = await files.read(at("link"));
    expect(read.type === "read" && content.equals(read.bytes)).toBe(true);
  });

  test("FILE13 refuses a file over the limit, but not one at the limit", async () => {
    const { files, at } = createFiles(10);
    writeFileSync(at("a"), "x".repeat(10));
    writeFileSync(at("b"), "x".repeat(11));
    expect((await files.read(at("a"))).type).toBe("read");
    const message = "b is larger than 10 bytes; use the shell to read part of it";
    expect(await files.read(at("b"))).toEqual({ type: "too-large", message });
    // The limit of a read can only lower the general one.
    expect(await files.read(at("b"), { maxBytes: 100 })).toEqual({ type: "too-large", message });
    expect((await files.read(at("a"), { maxBytes: 9 })).type).toBe("too-large");
  });

  test("FILE13 reads a file that reports no size up to the limit", async () => {
    expect((await createFiles(1).files.read("/proc/self/status")).type).toBe("too-large");
    expect(await createFiles().files.read("/proc/self/status")).toMatchObject({ type: "read" });
  });

  test("FILE13 refuses a pipe and an endless device at once", async () => {
    const { files, at } = createFiles();
    execFileSync("mkfifo", [at("pipe")]);
    expect(await files.read(at("pipe"))).toEqual({ type: "refused", message: "pipe is not a regular file" });
    expect(await files.read("/dev/zero")).toEqual({ type: "refused", message: "/dev/zero is not a regular file" });
  });

  test("FILE13 explains why a path cannot be read", async () => {
    const { root, files, at } = createFiles();
    mkdirSync(at("full"));
    for (let count = 0; count < 25; count++) writeFileSync(at(`full/${String(count).padStart(2, "0")}`), "");
    mkdirSync(at("empty"));
    symlinkSync("round", at("round"));
    writeFileSync(at("Screen\u202fshot.png"), "");
    const names = Array.from({ length: 20 }, (_, count) => String(count).padStart(2, "0")).join(", ");
    expect(await files.read("full")).toEqual({
      type: "folder",
      message: `full is a folder; it contains ${names}, and 5 more`,
    });
    expect(await files.read("empty")).toEqual({ type: "folder", message: "empty is a folder" });
    expect(await files.read("Screen shot.png")).toMatchObject({
      message: expect.stringMatching(/the folder contains Screen\u202fshot\.png/),
    });
    expect(await files.read("Screen\u202fshot.png/x")).toEqual({
      type: "missing",
      message: "Screen\u202fshot.png/x does not exist",
    });
    expect(await files.read("round")).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/form a loop/),
    });
    expect(await files.read("a\0b")).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/NUL character/),
    });
    expect(await files.read(`${root}/../nowhere-at-all`)).toMatchObject({ type: "missing" });
  });

  test("FILE13 refuses a file without read permission", async () => {
    const { root, files, at } = createFiles();
    writeFileSync(at("a"), "", { mode: 0o000 });
    expect(await asAnybody(root, () => files.read("a"))).toEqual({
      type: "refused",
      message: "a cannot be read: permission denied (EACCES)",
    });
  });

  test("FILE13 an abort stops a read", async () => {
    const { files, at } = createFiles();
    writeFileSync(at("a"), "a");
    await expect(files.read("a", { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

describe("writing", () => {
  test("FILE14 creates folders and leaves no other files", async () => {
    const { root, files, at } = createFiles();
    expect(await files.write("a/b/c", bytes("x"))).toEqual({ type: "written" });
    expect(readFileSync(at("a/b/c"), "utf8")).toBe("x");
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["a", "a/b", "a/b/c"]);
  });

  test("FILE14 a file keeps its permissions", async () => {
    const { files, at } = createFiles();
    writeFileSync(at("tool.sh"), "old");
    for (const mode of [0o755, 0o600, 0o664]) {
      chmodSync(at("tool.sh"), mode);
      await files.write("tool.sh", bytes("new"));
      expect(statSync(at("tool.sh")).mode & 0o777).toBe(mode);
    }
  });

  test("FILE14 writes the target of a link, also a missing one, and keeps the link", async () => {
    const { files, at } = createFiles();
    mkdirSync(at("real"));
    writeFileSync(at("real/a"), "old");
    symlinkSync("real/a", at("one"));
    symlinkSync("one", at("two"));
    symlinkSync("real/fresh", at("dangling"));
    await files.write("two", bytes("new"));
    await files.write("dangling", bytes("first"));
    expect([readFileSync(at("real/a"), "utf8"), readFileSync(at("real/fresh"), "utf8")]).toEqual(["new", "first"]);
    expect([readlinkSync(at("one")), readlinkSync(at("two")), readlinkSync(at("dangling"))]).toEqual([
      "real/a",
      "one",
      "real/fresh",
    ]);
    expect(lstatSync(at("real/a")).isSymbolicLink()).toBe(false);
  });

  test("FILE14 a concurrent reader sees the whole old or the whole new file", async () => {
    const { files, at } = createFiles();
    const versions = ["a", "b"].map((letter) => letter.repeat(2_000_000));
    writeFileSync(at("file"), versions[0] ?? "");
    let isWriting = true;
    const writing = (async () => {
      for (let round = 0; round < 20; round++) await files.write("file", bytes(versions[round % 2] ?? ""));
      isWriting = false;
    })();
    while (isWriting) {
      const content = readFileSync(at("file"), "utf8");
      expect(versions.includes(content)).toBe(true);
      await setImmediate();
    }
    await writing;
  });

  test("FILE14 explains why a path cannot be written, and leaves no files", async () => {
    const { root, files, at } = createFiles();
    mkdirSync(at("folder"));
    writeFileSync(at("file"), "");
    symlinkSync("round", at("round"));
    execFileSync("mkfifo", [at("pipe")]);
    const message = async (path: string) => await files.write(path, bytes("x"));
    expect(await message("folder")).toEqual({ type: "refused", message: "folder cannot be written: it is a folder" });
    expect(await message("pipe")).toEqual({
      type: "refused",
      message: "pipe cannot be written: it is not a regular file",
    });
    expect(await message("file/below")).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/is a file, not a folder/),
    });
    expect(await message("round")).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/form a loop/),
    });
    expect(await message("n".repeat(300))).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/the name is too long/),
    });
    expect(await message("a\0b")).toMatchObject({ type: "refused", message: expect.stringMatching(/NUL character/) });
    expect(readdirSync(root).sort()).toEqual(["file", "folder", "pipe", "round"]);
  });

  test("FILE14 refuses a read-only file in a writable folder", async () => {
    const { root, files, at } = createFiles();
    writeFileSync(at("a"), "old", { mode: 0o444 });
    expect(await asAnybody(root, () => files.write("a", bytes("new")))).toMatchObject({
      type: "refused",
      message: expect.stringMatching(/permission denied/),
    });
    expect(readFileSync(at("a"), "utf8")).toBe("old");
  });
});

describe("removing", () => {
  test("FILE22 removes a file; a missing one counts as removed", async () => {
    const { files, at } = createFiles();
    writeFileSync(at("file"), "x");
    expect(await files.remove("file")).toEqual({ type: "written" });
    expect(() => lstatSync(at("file"))).toThrow();
    expect(await files.remove("file")).toEqual({ type: "written" });
  });

  test("FILE22 refuses folders, links and files that the system protects", async () => {
    const { root, files, at } = createFiles();
    mkdirSync(at("folder"));
    writeFileSync(at("file"), "x");
    symlinkSync("file", at("link"));
    const refused = (message: string) => ({ type: "refused", message });
    expect(await files.remove("folder")).toEqual(refused("folder cannot be removed: it is a folder"));
    expect(await files.remove("link")).toEqual(refused("link cannot be removed: it is a link"));
    expect(await files.remove("file/below")).toEqual(
      refused("file/below cannot be removed: part of its path is a file, not a folder (ENOTDIR)"),
    );
    mkdirSync(at("closed"));
    writeFileSync(at("closed/file"), "x");
    chmodSync(at("closed"), 0o555);
    expect(await asAnybody(root, () => files.remove("closed/file"))).toEqual(
      refused("closed/file cannot be removed: permission denied (EACCES)"),
    );
    expect(readdirSync(root).sort()).toEqual(["closed", "file", "folder", "link"]);
  });
});
