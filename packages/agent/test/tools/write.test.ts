/** Tests the tool write on real files: it never replaces content that the model has not read. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileTools, outputText } from "../support/file-tools.ts";

test("FILE5 a new file is created with its folders, and the result gives its lines and bytes", async () => {
  const { root, text, run } = createFileTools();
  const output = await run("write", { path: "a/b/c.txt", content: "one\ntwo\n" });
  expect(outputText(output)).toBe("Created a/b/c.txt: 2 lines, 8 bytes.");
  const after = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(output.details).toEqual({ pith: { path: join(root, "a/b/c.txt"), before: null, after } });
  expect(text("a/b/c.txt")).toBe("one\ntwo\n");
});

test.each([
  ["", "0 lines, 0 bytes"],
  ["a", "1 line, 1 byte"],
  ["a\n", "1 line, 2 bytes"],
  ["\ufeffä\r\n", "1 line, 7 bytes"],
  ["a\n".repeat(1_500), "1,500 lines, 2.9 KB"],
])("FILE5 content is written byte for byte (%#)", async (content, size) => {
  const { text, run } = createFileTools();
  expect(outputText(await run("write", { path: "file", content }))).toBe(`Created file: ${size}.`);
  expect(text("file")).toBe(content);
});

test("FILE5 a file that was not read is not overwritten", async () => {
  const { put, text, run } = createFileTools();
  put("file", "precious");
  const output = await run("write", { path: "file", content: "new" });
  expect(output.isError).toBe(true);
  expect(outputText(output)).toBe("file exists (8 bytes) and was not read; read it before writing it, or use edit");
  expect(text("file")).toBe("precious");
});

test("FILE5 a file that was read is replaced unless it changed since", async () => {
  const { put, text, run } = createFileTools();
  put("file", "old");
  await run("read", { path: "file" });
  expect(outputText(await run("write", { path: "file", content: "new!" }))).toBe(
    "Replaced file: 1 line, 4 bytes (was 3 bytes).",
  );
  await run("write", { path: "file", content: "newer" });
  put("file", "by hand");
  expect(outputText(await run("write", { path: "file", content: "newest" }))).toBe(
    "file has changed since it was read; read it again before writing it",
  );
  expect(text("file")).toBe("by hand");
});

test("FILE5 reading a page past the end does not permit overwriting the file", async () => {
  const { put, run } = createFileTools();
  put("file", "old");
  await run("read", { path: "file", offset: 99 });
  expect((await run("write", { path: "file", content: "new" })).isError).toBe(true);
});

test("FILE5 writing the same content twice succeeds, also without a record of the first time", async () => {
  const { put, text, run } = createFileTools();
  put("file", "same");
  expect((await run("write", { path: "file", content: "same" })).isError).toBeUndefined();
  expect(text("file")).toBe("same");
});

test("FILE5 a file that was read and then removed is created again", async () => {
  const { root, put, text, run } = createFileTools();
  put("file", "old");
  await run("read", { path: "file" });
  rmSync(join(root, "file"));
  expect(outputText(await run("write", { path: "file", content: "new" }))).toBe("Created file: 1 line, 3 bytes.");
  expect(text("file")).toBe("new");
});

test("FILE5 a folder, a file as a parent folder and missing content are errors", async () => {
  const { root, put, run } = createFileTools();
  mkdirSync(join(root, "folder"));
  put("file", "");
  const words = async (input: Readonly<Record<string, unknown>>) => outputText(await run("write", input));
  expect(await words({ path: "folder", content: "x" })).toBe("folder is a folder");
  expect(await words({ path: "file/below", content: "x" })).toMatch(
    /^file\/below cannot be written: part of its path is a file/,
  );
  expect(await words({ path: "file" })).toBe("content is missing: give the whole new content as text");
  expect(await words({ content: "x" })).toBe("path is missing: give the path of a file");
});

test("FILE12 RUN13 the file tools declare whether they are idempotent and concurrent, and their schemas are short", () => {
  const { tools } = createFileTools();
  expect(tools.map(({ name, isIdempotent, isConcurrent }) => [name, isIdempotent, isConcurrent])).toEqual([
    ["read", true, true],
    ["write", true, undefined],
    ["edit", false, undefined],
  ]);
  const toolsAdded = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(JSON.stringify(toolsAdded).length).toBeLessThan(2_000);
});
