/** Tests the tool read on references to blobs and session entries. */

import type { Entry } from "@pith/context";
import { story } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import { createMemoryBlobs } from "../../../src/memory-blobs.ts";
import type { BlobStore } from "../../../src/ports.ts";
import { createFileTools, outputText } from "../../support/file-tools.ts";

interface Opening {
  readonly handle: string;
  readonly blobs: BlobStore;
  readonly read: (input?: Readonly<Record<string, unknown>>, room?: number) => Promise<string>;
}

async function kept(content: string | Uint8Array, blobs: BlobStore = createMemoryBlobs()): Promise<Opening> {
  const outcome = await blobs.keep(typeof content === "string" ? new TextEncoder().encode(content) : content);
  const handle = `blob:${outcome.type === "kept" ? outcome.hash : ""}`;
  const { run } = createFileTools({ blobs });
  return {
    handle,
    blobs,
    read: async (input = {}, room) => outputText(await run("read", { path: handle, ...input }, room)),
  };
}

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

/** All pages, one after the other, without their notes. */
async function pages({ read }: Opening, room?: number): Promise<string> {
  let whole = "";
  for (let offset = 1; ; ) {
    const words = await read({ offset }, room);
    const [note = "", next] = /\n\n\[.*continue with offset (\d+)\]$/.exec(words) ?? [];
    whole += next === undefined ? words : `${words.slice(0, -note.length)}\n`;
    if (next === undefined) return whole;
    offset = Number(next);
  }
}

describe("a blob", () => {
  test.each([
    ["a short text", "a\n\tb\n", "a\n\tb\n"],
    ["a text without a final newline", "a\nb", "a\nb"],
    ["a text with windows line ends", "a\r\nb\r\n", "a\nb\n"],
    ["a newline only", "\n", "\n"],
  ])("FILE15 is shown by its reference: %s", async (_, content, shown) => {
    expect(await (await kept(content)).read()).toBe(shown);
  });

  test("FILE15 that is empty, read in part, read past its end or read from an invalid offset gets the right text", async () => {
    const { handle, read } = await kept(lines(10));
    expect(await (await kept("")).read()).toMatch(/^\[blob:\w{64} is empty\]$/);
    expect(await read({ offset: 3, limit: 2 })).toBe(
      "line 3\nline 4\n\n[lines 3 to 4; 43 bytes remain; continue with offset 5]",
    );
    expect(await read({ offset: 9 })).toBe("line 9\nline 10\n");
    expect(await read({ offset: 9, limit: 2 })).toBe("line 9\nline 10\n");
    expect(await read({ offset: 11 })).toBe(`offset 11 is past the end: ${handle} has 10 lines`);
    expect(await read({ offset: "x" })).toBe('offset must be a whole number of at least 1, not "x"');
  });

  test("FILE15 gives its whole text when all pages are joined", async () => {
    const text = Array.from({ length: 30_000 }, (_, at) => `${at} ${"ä€😀".repeat(at % 7)}\n`).join("");
    expect((await pages(await kept(text))) === text).toBe(true);
    expect((await pages(await kept(text.trimEnd()))) === text.trimEnd()).toBe(true);
  });

  test("FILE16 with a very long line shows all of it in several lines", async () => {
    const opening = await kept(`first\n${"😀".repeat(100_000)}\nlast\n`);
    expect(await opening.read({ offset: 2, limit: 1 })).toBe(
      `${"😀".repeat(250)}\n\n[lines over 1,000 bytes are split; lines 2 to 2; 389.7 KB remain; continue with offset 3]`,
    );
    const whole = await pages(opening);
    expect(whole.replaceAll("\n", "").replace(/\[lines over.*\]$/, "")).toBe(`first${"😀".repeat(100_000)}last`);
  });

  test("FILE16 with invalid bytes is split into pages", async () => {
    const noise = Buffer.concat([Buffer.from("text ".repeat(2_000)), Buffer.alloc(9_000, 0x80), Buffer.from("\nend")]);
    expect(await pages(await kept(noise))).toMatch(/\nend(\n\n\[.*\])?$/);
  });

  test("FILE17 is shown in pages within the room of the model, of at least one line", async () => {
    const opening = await kept(`${"漢字".repeat(5_000)}\n${lines(3_000)}`);
    for (const room of [700, 1_500, 4_000, 30_000, 10_000_000]) {
      for (const offset of [1, 20, 31, 500]) {
        const words = await opening.read({ offset }, room);
        expect(Buffer.byteLength(words)).toBeLessThanOrEqual(Math.max(room, 1_200));
        expect(Buffer.byteLength(words)).toBeLessThanOrEqual(51_400);
        expect(words).toMatch(/continue with offset \d+\]$/);
      }
    }
  });

  test("FILE15 that is large is read only as far as a page needs, in small pieces", async () => {
    const size = 256 * 1024 * 1024;
    const row = new TextEncoder().encode(`${"x".repeat(1_023)}\n`.repeat(128));
    let read = 0;
    let largest = 0;
    const endless: BlobStore = {
      ...createMemoryBlobs(),
      read: async (_, { start, end }) => {
        const bytes = start >= size ? new Uint8Array() : row.subarray(start % row.length).subarray(0, end - start);
        read += bytes.length;
        largest = Math.max(largest, end - start);
        return { type: "read", bytes, size };
      },
    };
    const { run } = createFileTools({ blobs: endless });
    const path = `blob:${"0".repeat(64)}`;
    expect(outputText(await run("read", { path, limit: 3 }))).toMatch(/lines 1 to 3; 256\.0 MB remain; continue/);
    expect(read).toBeLessThan(300_000);
    expect(largest).toBeLessThan(300_000);
  });

  test("FILE15 is shown if it is an image, and only named if it is another binary", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
    const { handle, read } = await kept(png);
    expect(await read()).toBe(`[${handle}: image/png, 12 bytes]\n<image/png>`);
    const large = await kept(Buffer.concat([png, Buffer.alloc(4_000_000)]));
    expect(await large.read()).toMatch(
      /is an image \(image\/png\) of 3\.8 MB and is not shown; the limit is 3\.8 MB\]$/,
    );
    const binary = await kept(Buffer.from([1, 0, 2]));
    expect(await binary.read()).toBe(`[${binary.handle} is a binary blob of 3 bytes; not shown]`);
  });

  test("FILE15 that does not exist, or cannot be stored, is an error", async () => {
    const { run } = createFileTools({ blobs: createMemoryBlobs() });
    const missing = await run("read", { path: "blob:123" });
    expect(missing).toMatchObject({ isError: true });
    expect(outputText(missing)).toBe("blob:123 cannot be opened: give at least the first 8 digits of its hash");
    expect(outputText(await run("read", { path: `blob:${"1".repeat(64)}` }))).toMatch(
      /cannot be opened: the blob does not exist or was removed/,
    );
    expect(outputText(await run("read", { path: "blob:12345678" }))).toBe(
      "blob:12345678 cannot be opened: no blob with this hash is stored, or it was deleted",
    );
    expect(outputText(await run("read", { path: "blob:../../etc" }))).toBe(
      "blob:../../etc cannot be opened: give the hexadecimal digits of its hash",
    );
    const words = async (path: string) => outputText(await createFileTools().run("read", { path }));
    expect(await words(" blob:1 ")).toBe("blob:1 cannot be opened: this session has no stored output");
    for (const entry of ["entry:1", "#1"])
      expect(await words(entry)).toBe(`${entry} cannot be opened: this session's entries are not available`);
  });

  test("FILE15 does not hide a file whose name looks like a reference", async () => {
    const { put, run } = createFileTools();
    for (const name of ["blob:1", "#412"]) {
      put(name, "a file\n");
      expect(outputText(await run("read", { path: `./${name}` }))).toBe("a file\n");
    }
    const refused = await run("write", { path: "blob:1", content: "x" });
    expect(outputText(refused)).toBe("blob:1 is a reference, which can be read but not written");
    for (const path of ["entry:1", "#1"])
      expect(outputText(await run("edit", { path, edits: [{ oldText: "a", newText: "b" }] }))).toBe(
        `${path} is a reference, which can be read but not written`,
      );
    for (const path of ["#", "#a", "#1 of them", "issue #1"])
      expect(outputText(await run("read", { path }))).toBe(`${path} does not exist`);
  });

  test("FILE25 is found by the first 8 digits of its hash, in any case", async () => {
    const { handle, blobs } = await kept("words\n");
    const { run } = createFileTools({ blobs });
    for (const path of [handle.slice(0, 13), handle.slice(0, 40), `blob:${handle.slice(5, 13).toUpperCase()}`])
      expect(outputText(await run("read", { path }))).toBe("words\n");
  });

  test("FILE25 is listed with the others if several begin with the given digits", async () => {
    const twins = ["1a2b3c4d00", "1a2b3c4d01", "1a2b3c4dff"].map((start, at) => ({
      hash: start.padEnd(64, "0"),
      bytes: 10 ** (at + 1),
    }));
    const blobs: BlobStore = {
      ...createMemoryBlobs(),
      findByPrefix: async (digits) => ({ type: "found", blobs: twins.filter(({ hash }) => hash.startsWith(digits)) }),
      read: async (hash) => ({ type: "read", bytes: new TextEncoder().encode(`${hash}\n`), size: 65 }),
    };
    const { run } = createFileTools({ blobs });
    const several = await run("read", { path: "blob:1a2b3c4d" });
    expect([several.isError, outputText(several)]).toEqual([
      true,
      "blob:1a2b3c4d cannot be opened: 3 blobs start with these digits. Read one of them:\n" +
        "blob:1a2b3c4d00 (10 bytes)\nblob:1a2b3c4d01 (100 bytes)\nblob:1a2b3c4df (1,000 bytes)",
    ]);
    for (const path of ["blob:1a2b3c4d00", "blob:1a2b3c4d01", "blob:1a2b3c4df"])
      expect(outputText(await run("read", { path }))).toMatch(new RegExp(`^${path.slice(5)}`));
  });
});

describe("an entry", () => {
  const opened = async (branchEntries: readonly Entry[], path: string, input = {}): Promise<string> => {
    const entries = {
      entry: async (wanted: string) => branchEntries.find(({ id }) => id === wanted),
      entryByNumber: async (wanted: number) => branchEntries.find(({ number }) => number === wanted),
    };
    const { run } = createFileTools({ entries });
    return outputText(await run("read", { path, ...input }));
  };

  test("HARM2 that is damaged is reported as an error", async () => {
    const [first] = story("user: fix it");
    const place = { id: first?.id ?? "", parentId: null, timestamp: "", number: 9, why: "not JSON" };
    for (const kind of ["user", "label"] as const) {
      const entry: Entry = { type: "gap", ...place, kind };
      const entries = { entry: async () => entry, entryByNumber: async () => entry };
      const output = await createFileTools({ entries }).run("read", { path: "#9" });
      expect(output.isError).toBe(true);
      expect(outputText(output)).toMatch(/#9 (?:in this session )?is damaged and cannot be read/);
    }
  });

  test("FILE18 is opened by its number, for every role", async () => {
    const entries = story(
      "user: fix it",
      "thinks: where is it?",
      "calls: read path=a.ts; bash command=ls",
      "result: forty characters",
      "fails: no such file",
      "bash: ls -> a.ts",
      "note: a note",
      "model: anthropic/one",
      "compacts: what was done, keeps e5",
    );
    const words = await Promise.all(entries.map(({ number }) => opened(entries, `#${number}`)));
    expect(words.join("\n---\n")).toMatchInlineSnapshot(`
      "[#1: user]
      fix it
      ---
      [#2: assistant]
      [tool call: read]
      path: a.ts

      [tool call: bash]
      command: ls
      ---
      [#3: tool result: read; the call in #2: path: a.ts]
      forty characters
      ---
      [#4: tool result: bash, failed; the call in #2: command: ls]
      no such file
      ---
      [#5: shell command run by the user]
      $ ls
      a.ts
      ---
      [#6: note]
      a note
      ---
      [#7: model_change, without text]

      ---
      [#8: compaction]
      what was done"
    `);
    for (const path of ["[#1]", " #1 ", "entry:e1"]) expect(await opened(entries, path)).toBe("[#1: user]\nfix it");
    for (const path of ["entry:gone", "entry:e", "#0", "#999"])
      expect(await opened(entries, path)).toBe(`${path} is not in this session; check the reference`);
  });

  test("FILE18 with arguments, images or invalid content is shown readably", async () => {
    const content = [
      { type: "text", text: "so" },
      { type: "toolCall", id: "c1", name: "write", arguments: { path: "a.ts", content: "one\ntwo\n", deep: [1] } },
      { type: "image", data: "A".repeat(4_096), mimeType: "image/png" },
      { type: "thinking", thinking: "", thinkingSignature: "x", redacted: true },
      { type: "toolCall", name: "odd" },
      { type: "strange" },
      null,
    ];
    const odd = [
      { type: "message", id: "e1", parentId: null, timestamp: "", message: { role: "assistant", content } },
      { type: "message", id: "e2", parentId: "e1", timestamp: "", message: { role: "user", content: null } },
    ] as unknown as readonly Entry[];
    expect(await opened(odd, "entry:e1")).toBe(
      "[entry:e1: assistant]\nso\n\n[tool call: write]\npath: a.ts\ncontent: one\ntwo\n\ndeep: [1]\n\n[image/png, 3.0 KB]\n\n[tool call: odd]\n",
    );
    expect(await opened(odd, "entry:e2")).toBe("[entry:e2: user, without text]\n");
  });

  test("FILE18 of a command that the user excluded from the context is not shown", async () => {
    const [entry] = story("bash: cat secret -> hunter2");
    if (entry?.type !== "message") throw new Error("a shell line is a message");
    const hidden = { ...entry, message: { ...entry.message, excludeFromContext: true } } as Entry;
    expect(await opened([hidden], "#1")).toBe(
      "[#1: shell command that the user excluded from the context, without text]\n",
    );
  });

  test("FILE18 that is long is shown in pages", async () => {
    const entries = story(`user: ${lines(5_000)}`);
    expect(await opened(entries, "#1", { offset: 3, limit: 1 })).toBe(
      "line 2\n\n[lines 3 to 3; 47.7 KB remain; continue with offset 4]",
    );
  });
});
