/** What a call would make of a file. */

import { describe, expect, test } from "vitest";
import { changedText } from "../../../../src/tools/files/editing/changed-text.ts";
import type { FileRead } from "../../../../src/workspace.ts";

const texts: Readonly<Record<string, string | Uint8Array>> = {
  "/w/a.ts": "one\r\ntwo\r\nthree\r\n",
  "/w/picture.png": new Uint8Array([0xff, 0xfe, 0x00]),
};

const files = {
  resolve: (path: string) => `/w/${path}`,
  read: async (path: string): Promise<FileRead> => {
    const text = texts[path];
    if (text === undefined) return { type: "missing", message: "there is none" };
    return { type: "read", bytes: typeof text === "string" ? new TextEncoder().encode(text) : text };
  },
};

const previewed = (tool: string, asked: Readonly<Record<string, unknown>>) =>
  changedText({ tool, arguments: asked, signal: new AbortController().signal }, { files });

describe("MAN2 what a change is about is computed as the change itself would be made, and nothing is written", () => {
  test("an edit", async () => {
    const edits = [
      { oldText: "three", newText: "3" },
      { oldText: "one\ntwo", newText: "one\nand two" },
    ];
    expect(await previewed("edit", { path: "a.ts", edits })).toEqual({
      path: "a.ts",
      before: "one\ntwo\nthree\n",
      after: "one\nand two\n3\n",
    });
  });

  test("a whole file, new or not", async () => {
    expect(await previewed("write", { path: "a.ts", content: "all new\n" })).toMatchObject({ after: "all new\n" });
    expect(await previewed("write", { path: "b.ts", content: "new\n" })).toEqual({
      path: "b.ts",
      before: null,
      after: "new\n",
    });
  });

  test("nothing is made up where it would fail or is no text", async () => {
    const edits = [{ oldText: "nowhere", newText: "x" }];
    expect(await previewed("edit", { path: "a.ts", edits })).toBe(null);
    expect(await previewed("edit", { path: "b.ts", edits })).toBe(null);
    expect(await previewed("edit", { path: "picture.png", edits })).toBe(null);
    expect(await previewed("write", { path: "a.ts" })).toBe(null);
    expect(await previewed("other", { path: "a.ts" })).toBe(null);
    expect(await previewed("edit", {})).toBe(null);
  });
});
