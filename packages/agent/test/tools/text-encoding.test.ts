/** Tests files that are not UTF-8: read names the encoding, edit and write keep it, with byte order mark and line ends. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { createFileTools, outputText } from "../support/file-tools.ts";

const JAPANESE = "// こんにちは、世界。これは日本語のテキストです。\nint main() { return 0; }\n";
const CHINESE = "// 你好，世界。这是中文文本，用来测试编码。\nint main() { return 0; }\n";
const GERMAN = "// Füße, Größe, naïve café\nint main() { return 0; }\n";

/** By name: the encoding as the result shows it, the bytes and the text. */
const files: readonly (readonly [string, Buffer, string])[] = [
  ["UTF-16LE", Buffer.from(`\ufeff${JAPANESE}`, "utf16le"), JAPANESE],
  ["UTF-16BE", Buffer.from(`\ufeff${JAPANESE}`, "utf16le").swap16(), JAPANESE],
  ["windows-1252", iconv.encode(GERMAN, "windows-1252"), GERMAN],
  ["Shift_JIS", iconv.encode(JAPANESE, "Shift_JIS"), JAPANESE],
  ["EUC-JP", iconv.encode(JAPANESE, "EUC-JP"), JAPANESE],
  ["GB18030", iconv.encode(CHINESE, "gbk"), CHINESE],
];

function createFile(bytes: Uint8Array) {
  const made = createFileTools();
  made.put("file.c", bytes);
  return { ...made, bytes: () => readFileSync(join(made.root, "file.c")) };
}

describe.each(files)("a file in %s", (encoding, bytes, text) => {
  test("FILE31 is read as text, and the result names its encoding", async () => {
    const { run } = createFile(bytes);
    const shown = outputText(await run("read", { path: "file.c" }));
    expect(shown).toContain(text.trimEnd());
    expect(shown).toContain(`[encoding: ${encoding}; edit and write keep it]`);
  });

  test("FILE31 is edited in its encoding, and all other bytes stay", async () => {
    const { run, bytes: now } = createFile(bytes);
    await run("read", { path: "file.c" });
    await run("edit", { path: "file.c", edits: [{ oldText: "return 0", newText: "return 1" }] });
    const at = bytes.indexOf(encoding.startsWith("UTF-16") ? "0" : "return 0", 0, "latin1");
    expect(at).toBeGreaterThan(0);
    expect(now().length).toBe(bytes.length);
    expect(now().filter((byte, index) => byte !== bytes[index])).toEqual(Buffer.from("1"));
  });

  test("FILE31 is written in its encoding, with its byte order mark", async () => {
    const { run, bytes: now } = createFile(bytes);
    await run("read", { path: "file.c" });
    const output = await run("write", { path: "file.c", content: text.replace("return 0", "return 2") });
    expect(outputText(output)).toContain(`Kept the encoding ${encoding}.`);
    expect(now().filter((byte, index) => byte !== bytes[index])).toEqual(Buffer.from("2"));
  });
});

test("FILE31 an edit or write with a character that the encoding lacks is refused, and the file is unchanged", async () => {
  const { run, bytes: now } = createFile(iconv.encode(GERMAN, "windows-1252"));
  await run("read", { path: "file.c" });
  const edited = await run("edit", { path: "file.c", edits: [{ oldText: "return 0", newText: "return → 0" }] });
  expect(edited.isError).toBe(true);
  expect(outputText(edited)).toBe(
    'file.c was not changed: newText contains "→" (U+2192), which windows-1252, the encoding of the file, does not have; use other characters, or convert the file to UTF-8 with the shell first',
  );
  const written = await run("write", { path: "file.c", content: "日本" });
  expect(outputText(written)).toContain('file.c was not written: content contains "日" (U+65E5)');
  expect(now()).toEqual(iconv.encode(GERMAN, "windows-1252"));
});

test.each([
  ["half a character", Buffer.concat([Buffer.from("\ufeffab", "utf16le"), Buffer.from([0x41])]), "UTF-16LE"],
  ["a lone surrogate", Buffer.from("\ufeffab\ud800", "utf16le"), "UTF-16LE"],
  ["undefined bytes", Buffer.concat([Buffer.from("plain text ab\n"), Buffer.from([0x81, 0xfc])]), "windows-1252"],
])("FILE31 a file with %s is shown but not edited", async (_, bytes, encoding) => {
  const { run, bytes: now } = createFile(bytes);
  expect(outputText(await run("read", { path: "file.c" }))).toContain(
    `[encoding: probably ${encoding}, with invalid bytes; it cannot be edited]`,
  );
  const edited = await run("edit", { path: "file.c", edits: [{ oldText: "ab", newText: "cd" }] });
  expect(outputText(edited)).toMatch(/^file\.c has bytes that are not valid .*cannot be written without loss/);
  expect(now()).toEqual(bytes);
});

test("FILE31 a written file keeps its line ends and its byte order mark", async () => {
  const { run, bytes: now } = createFile(Buffer.from("\ufeffone\r\ntwo\r\n"));
  await run("read", { path: "file.c" });
  const output = await run("write", { path: "file.c", content: "one\n2\nthree\n" });
  expect(now().toString()).toBe("\ufeffone\r\n2\r\nthree\r\n");
  expect(outputText(output)).toContain("Kept the line ends CRLF.");
});

test("FILE31 binary data is not shown as text", async () => {
  const { run } = createFile(Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7_919) % 256)));
  expect(outputText(await run("read", { path: "file.c" }))).toContain("is a binary file");
});
