/** Tests the tool read on real files. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFileTools, outputText } from "../../support/file-tools.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

describe("a text", () => {
  test.each([
    ["a short text", "a\n\tb\n", "a\n\tb\n"],
    ["a text without a final newline", "a\nb", "a\nb"],
    ["a text without its byte order mark", "\ufeffa\n", "a\n"],
    ["a text with windows line ends as plain ones", "a\r\nb\r\n", "a\nb\n"],
    ["an empty text", "", "[file is empty]"],
    ["a newline only", "\n", "\n"],
    ["an SVG drawing", "<svg/>", "<svg/>"],
  ])("FILE1 is shown: %s", async (_, content, shown) => {
    const { put, run } = createFileTools();
    put("file", content);
    const output = await run("read", { path: "file" });
    expect(output.content).toEqual([{ type: "text", text: shown }]);
    expect(output).not.toHaveProperty("isError");
  });
});

describe("a long text", () => {
  test("FILE2 is shown in pages of 2,000 lines that together are the text", async () => {
    const { put, run } = createFileTools();
    put("file", lines(5_000));
    let whole = "";
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const words = outputText(await run("read", { path: "file", offset }));
      const next: string | undefined = /\n\n\[lines \d+ to \d+ of 5000; continue with offset (\d+)\]$/.exec(words)?.[1];
      whole += words.replace(/\n\n\[lines .*\]$/, "\n");
      offset = next === undefined ? undefined : Number(next);
    }
    expect(whole).toBe(lines(5_000));
  });

  test("FILE2 with long lines is shown in pages of 50 KB that end between lines", async () => {
    const { put, run } = createFileTools();
    put("file", `${"ä".repeat(500)}\n`.repeat(200));
    const words = outputText(await run("read", { path: "file" }));
    expect(words).toMatch(/\n\n\[lines 1 to 51 of 200, 50\.0 KB at a time; continue with offset 52\]$/);
    expect(Buffer.byteLength(words)).toBeLessThan(52_000);
  });

  test("FILE17 is shown in pages within the room of the model, with the offset to continue from", async () => {
    const { put, run } = createFileTools();
    put("file", `${"漢".repeat(3_000)}\n${lines(3_000)}`);
    for (const room of [900, 3_000, 20_000]) {
      const words = outputText(await run("read", { path: "file" }, room));
      expect(Buffer.byteLength(words)).toBeLessThanOrEqual(room);
      expect(words).toMatch(/^漢+ \[… [\d,]+ more characters .*\]\n[\s\S]*continue with offset \d+\]$/);
    }
  });

  test("FILE2 of exactly 2,000 lines is shown on one page", async () => {
    const { put, run } = createFileTools();
    put("file", lines(2_000));
    expect(outputText(await run("read", { path: "file" }))).toBe(lines(2_000));
  });

  test("FILE2 has its very long lines cut between characters", async () => {
    const { put, run } = createFileTools();
    put("file", `short\n${"x".repeat(1_999)}${"😀".repeat(500_000)}\nshort\n`);
    const words = outputText(await run("read", { path: "file" }));
    expect(words).toBe(
      `short\n${"x".repeat(1_999)} [… 1,000,000 more characters in this line; use the shell to see them]\nshort\n`,
    );
  });

  test.each([
    [{ offset: 3, limit: 2 }, "line 3\nline 4\n\n[lines 3 to 4 of 10; continue with offset 5]"],
    [{ offset: "9" }, "line 9\nline 10\n"],
    [{ offset: 9, limit: 9_999 }, "line 9\nline 10\n"],
    [{ offset: 0, limit: 1 }, "line 1\n\n[lines 1 to 1 of 10; continue with offset 2]"],
    [{ offset: null, limit: "" }, lines(10)],
  ])("FILE2 is shown from the offset of %j", async (input, shown) => {
    const { put, run } = createFileTools();
    put("file", lines(10));
    expect(outputText(await run("read", { path: "file", ...input }))).toBe(shown);
  });

  test.each([
    [{ offset: 11 }, "offset 11 is past the end: file has 10 lines"],
    [{ offset: -1 }, "offset must be a whole number of at least 1, not -1"],
    [{ offset: 1.5 }, "offset must be a whole number of at least 1, not 1.5"],
    [{ limit: "many" }, 'limit must be a whole number of at least 1, not "many"'],
    [{ limit: [1] }, "limit must be a whole number of at least 1, not [1]"],
  ])("FILE2 is refused with a message about the wrong argument for %j", async (input, words) => {
    const { put, run } = createFileTools();
    put("file", lines(10));
    expect(await run("read", { path: "file", ...input })).toEqual({
      content: [{ type: "text", text: words }],
      isError: true,
    });
  });
});

describe("a path that is no text file", () => {
  const pictures = [
    ["image/png", Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1")],
    ["image/jpeg", Buffer.from("\xff\xd8\xff\xe0rest", "latin1")],
    ["image/gif", Buffer.from("GIF89arest", "latin1")],
    ["image/webp", Buffer.from("RIFF\0\x01\x02\nWEBPrest", "latin1")],
  ] as const;

  test.each(pictures)(
    "FILE3 with the content of a picture (%s) is shown as one, whatever its name",
    async (mimeType, bytes) => {
      const { put, run } = createFileTools();
      put("notes.txt", bytes);
      expect((await run("read", { path: "notes.txt" })).content).toEqual([
        { type: "text", text: `[notes.txt: ${mimeType}, ${bytes.length} bytes]` },
        { type: "image", data: bytes.toString("base64"), mimeType },
      ]);
    },
  );

  test("FILE3 with a picture that is too large for providers is named, not shown", async () => {
    const { put, run } = createFileTools();
    put("a.png", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(4_000_000)]));
    const words = outputText(await run("read", { path: "a.png" }));
    expect(words).toBe("[a.png is an image (image/png) of 3.8 MB and is not shown; the limit is 3.8 MB]");
  });

  test.each([
    ["has zero bytes", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1])],
    ["is mostly no UTF-8", Buffer.from(Array.from({ length: 500 }, (_, at) => 128 + (at % 100)))],
    ["has only the name and the signature of a picture", Buffer.from("PNG\0")],
  ])("FILE3 of a file that %s is named, not shown", async (_, bytes) => {
    const { put, run } = createFileTools();
    put("a.png", bytes);
    expect((await run("read", { path: "a.png" })).content).toEqual([
      { type: "text", text: `[a.png is a binary file of ${bytes.length} bytes; not shown]` },
    ]);
  });

  test("FILE4 that does not exist, is a folder or is not given gets a message", async () => {
    const { root, put, run } = createFileTools();
    put("src/read-file.ts", "");
    mkdirSync(join(root, "src/reading"));
    const words = async (path?: string) => outputText(await run("read", { path }));
    expect(await words("src/readfile.ts")).toBe("src/readfile.ts does not exist; the folder contains read-file.ts");
    expect(await words("src")).toBe("src is a folder; it contains read-file.ts, reading/");
    expect(await words("elsewhere/a.ts")).toBe("elsewhere/a.ts does not exist");
    expect(await words()).toBe("path is missing: give the path of a file");
  });
});

describe("a skill", () => {
  const name = (path: string): string | null => (path.endsWith("/SKILL.md") ? "ship" : null);

  test("SKL6 is recorded in the details when it is read, with a mark if only a part was; another file is not", async () => {
    const { put, run, root } = createFileTools({ skillAt: name });
    put("SKILL.md", "\ufeff# Ship\r\n\r\nSay please.\r\n");
    put("other.md", "text");
    const whole = await run("read", { path: "SKILL.md" });
    expect(whole.details).toMatchObject({
      pith: {
        reference: {
          kind: "skill",
          name: "ship",
          path: join(root, "SKILL.md"),
          hash: expect.stringMatching(/^\w{64}$/),
        },
      },
    });
    expect(JSON.stringify(whole.details)).not.toContain("part");
    const part = await run("read", { path: "SKILL.md", offset: 2 });
    expect(part.details).toMatchObject({ pith: { reference: { name: "ship", part: true } } });
    expect(JSON.stringify((await run("read", { path: "other.md" })).details)).not.toContain("reference");
    put("SKILL.md", `# Ship\n${"x".repeat(3_000)}\n`);
    expect((await run("read", { path: "SKILL.md" })).details).toMatchObject({ pith: { reference: { part: true } } });
  });
});
