/** Tests tools/file-access.ts: intents, known files, read tracking, replace file, bounded bytes. */

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Entry } from "@pith/context";
import { describe, expect, test } from "vitest";
import type { FileOriginals, WorkspaceFiles } from "../../src/ports.ts";
import { hashBytes } from "../../src/text.ts";
import { findSeenFiles, ReadTracker, withFileBytes } from "../../src/tools/file-access.ts";
import { createFileTools, outputText } from "../support/file-tools.ts";
import { memoryOriginals, resultEntry } from "../support/writing-session.ts";

describe("intents", () => {
  test("FILE19 the intent is to look at or change the file at its absolute path", () => {
    const { root, tools } = createFileTools();
    const intents = (path: unknown) => tools.map(({ intent }) => intent?.({ path }));
    const at = (...paths: readonly string[]) => ["look", "change", "change"].map((type) => ({ type, paths }));
    expect(intents("src/../a.ts")).toEqual(at(join(root, "a.ts")));
    expect(intents("/etc/passwd")).toEqual(at("/etc/passwd"));
  });

  test("FILE19 the intent of a reference and of an invalid path is nothing", () => {
    const { tools } = createFileTools();
    for (const path of ["blob:1", "entry:1", "#1", "[#1]", "", undefined, 7])
      for (const { intent } of tools) expect(intent?.({ path })).toEqual({ type: "nothing" });
  });
});

describe("known files", () => {
  const asIs = (path: string): string => path;

  test("FILE20 after a restart, files that were read, written or edited need not be read again", async () => {
    const { put, text, run, reads } = createFileTools();
    const entries: Entry[] = [];
    const logged = async (
      name: "read" | "write" | "edit",
      input: Readonly<Record<string, unknown>>,
    ): Promise<string> => {
      const output = await run(name, input);
      entries.push(resultEntry(name, output));
      return outputText(output);
    };
    for (const name of ["read", "edited", "changed", "unread"]) put(name, "a\n");
    await logged("read", { path: "read" });
    await logged("write", { path: "written", content: "a\n" });
    await logged("read", { path: "edited" });
    await logged("edit", { path: "edited", edits: [{ oldText: "a", newText: "b" }] });
    await logged("read", { path: "changed" });
    await logged("write", { path: "unread", content: "b\n" });
    put("changed", "by hand\n");

    reads.reset(findSeenFiles(entries, asIs));
    const words = [];
    for (const path of ["read", "written", "edited", "changed", "unread"])
      words.push(await logged("write", { path, content: `new ${path}` }));
    expect(words).toEqual([
      "Replaced read: 1 line, 8 bytes (was 2 bytes).",
      "Replaced written: 1 line, 11 bytes (was 2 bytes).",
      "Replaced edited: 1 line, 10 bytes (was 2 bytes).",
      "changed has changed since it was read; read it again before writing it",
      "unread exists (2 bytes) and was not read; read it before writing it, or use edit",
    ]);
    expect(text("read")).toBe("new read");
  });

  test("FILE20 a file that was seen on another branch has to be read again", async () => {
    const { put, run, reads } = createFileTools();
    put("file", "a\n");
    await run("read", { path: "file" });
    reads.reset(findSeenFiles([], asIs));
    expect(outputText(await run("write", { path: "file", content: "b" }))).toMatch(/was not read/);
  });

  test("FILE20 only valid details of successful file tools make a file known", () => {
    const hash = "a".repeat(64);
    const entries = [
      resultEntry("read", { details: { pith: { path: "/a", hash } } }),
      resultEntry("other", { details: { pith: { path: "/b", hash } } }),
      resultEntry("read", { isError: true, details: { pith: { path: "/c", hash } } }),
      resultEntry("read", { details: { pith: { path: 7, hash } } }),
      resultEntry("read", { details: { pith: { path: "/d", hash: "short" } } }),
      resultEntry("read", { details: { pith: null } }),
      resultEntry("read", { details: "text" }),
      resultEntry("edit", {}),
      { type: "message", id: "e", parentId: null, timestamp: "", message: { role: "user", content: "", timestamp: 0 } },
    ] as const;
    expect([...findSeenFiles(entries, asIs)]).toEqual([["/a", hash]]);
  });
});

describe("read tracking", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test("FILE8 are fresh or stale after they are handed over from an earlier run", async () => {
    const reads = new ReadTracker([["/a", await hashBytes(bytes("old"))]]);
    expect(await reads.readState("/a", bytes("old"))).toBe("fresh");
    expect(await reads.readState("/a", bytes("new"))).toBe("stale");
    expect(await reads.readState("/b", bytes("old"))).toBe("unread");
  });

  test("FILE9 acts on one file run one after the other, those on different files at once", async () => {
    const reads = new ReadTracker();
    const done: string[] = [];
    const first = Promise.withResolvers<void>();
    const acts = [
      reads.runInOrder("/a", async () => void done.push("a1", await first.promise.then(() => "a1 ended"))),
      reads.runInOrder("/a", async () => void done.push("a2")),
      reads.runInOrder("/b", async () => void done.push("b")),
    ];
    await acts[2];
    expect(done).toEqual(["b"]);
    first.resolve();
    await Promise.all(acts);
    expect(done).toEqual(["b", "a1", "a1 ended", "a2"]);
  });

  test("FILE9 a failed act does not block the next one on the same file", async () => {
    const reads = new ReadTracker();
    const failing = reads.runInOrder("/a", () => Promise.reject(new Error("no")));
    const next = reads.runInOrder("/a", async () => "yes");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });
});

describe("replace file", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const edits = [{ oldText: "one", newText: "two" }];

  test("FILE21 write and edit store the bytes of the replaced file and of what they wrote", async () => {
    const originals = memoryOriginals();
    const { root, put, run } = createFileTools({ originals });
    put("file", "\ufeffone\r\n");
    const [before, after] = await Promise.all([hashBytes(bytes("\ufeffone\r\n")), hashBytes(bytes("\ufefftwo\r\n"))]);
    const edited = await run("edit", { path: "file", edits });
    expect(edited.details).toMatchObject({ pith: { path: join(root, "file"), before, after } });
    const written = await run("write", { path: "file", content: "three" });
    const last = await hashBytes(bytes("\ufeffthree"));
    expect(written.details).toEqual({ pith: { path: join(root, "file"), before: after, after: last } });
    const texts = await Promise.all([before, after, last].map((hash) => originals.read(hash)));
    expect(texts.map((text) => text && Buffer.from(text).toString())).toEqual([
      "\ufeffone\r\n",
      "\ufefftwo\r\n",
      "\ufeffthree",
    ]);
  });

  test("FILE21 write and edit store the bytes before they change the file", async () => {
    const events: string[] = [];
    const fixture = createFileTools({
      originals: {
        keep: async (content) => {
          events.push(`${Buffer.from(content)} while the file is ${fixture.text("file")}`);
          return await hashBytes(content);
        },
        read: async () => null,
      },
    });
    fixture.put("file", "one");
    await fixture.run("edit", { path: "file", edits });
    expect(events).toEqual(["one while the file is one", "two while the file is one"]);
  });

  test("FILE21 content that could not be stored is named in the details, and the write still happens", async () => {
    const none: FileOriginals = { keep: async () => null, read: async () => null };
    const { put, text, run } = createFileTools({ originals: none });
    put("file", "one");
    const hash = expect.stringMatching(/^\w{64}$/);
    const path = expect.any(String);
    const edited = await run("edit", { path: "file", edits });
    expect(edited.details).toMatchObject({ pith: { path, before: hash, after: hash, unkept: ["before", "after"] } });
    const created = await run("write", { path: "new", content: "x" });
    expect(created.details).toEqual({ pith: { path, before: null, after: hash, unkept: ["after"] } });
    expect(text("file")).toBe("two");
  });
});

describe("bounded bytes", () => {
  test.each([
    ["large", 8_000_000, 1],
    ["small", 1_000, 20],
  ])("FILE24 of twenty %s files, the bytes of at most %3$d are in memory together", async (_, size, most) => {
    const { signal } = new AbortController();
    const files: Pick<WorkspaceFiles, "read"> = {
      read: async (_path, { maxBytes = Number.POSITIVE_INFINITY } = {}) =>
        size > maxBytes ? { type: "too-large", message: "" } : { type: "read", bytes: new Uint8Array(1) },
    };
    const parts = { files: files as WorkspaceFiles, readTracker: new ReadTracker() };
    let [inUse, peak] = [0, 0];
    const use = async (): Promise<void> => {
      inUse += 1;
      peak = Math.max(peak, inUse);
      await setImmediate();
      inUse -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, (_each, at) => withFileBytes({ at: `/${at}`, signal }, parts, use)));
    expect(peak).toBe(most);
  });
});
