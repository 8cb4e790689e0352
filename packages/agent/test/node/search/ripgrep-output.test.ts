/** Tests node/search/ripgrep-output.ts: verifying ripgrep's lines against the file. */

import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { openSource } from "../../../src/node/search/ripgrep-output.ts";
import { createSearchFolder } from "../../support/file-tools.ts";

async function has(content: string | Buffer, line: string, offset: number): Promise<boolean | undefined> {
  const { at, put } = createSearchFolder();
  put({ "a.txt": content });
  const source = await openSource({ realPath: at("a.txt") });
  const answer = await source?.hasLine(Buffer.from(line), offset);
  await source?.close();
  return answer;
}

const wide = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

test("SEEK15 a line is a hit only if the file has it, whatever its encoding", async () => {
  expect(await has("one\ntwo\n", "two\n", 4)).toBe(true);
  expect(await has("\ufeffone\ntwo\n", "two\n", 4)).toBe(true);
  expect(await has("one\ntwo\n", "key\n", 4)).toBe(false);
  expect(await has(wide("one\ntwo\n"), "two\n", 4)).toBe(true);
  expect(await has(wide("one\ntwo\n").swap16(), "two\n", 4)).toBe(true);
  expect(await has(wide("one\ntwo\n"), "key\n", 4)).toBe(false);
  expect(await has(wide(`${"a\n".repeat(1_100_000)}two\n`), "two\n", 2_200_000)).toBe(true);
});

test("SEEK15 a file is ignored if its folder was replaced by a link", async () => {
  const { at, put } = createSearchFolder();
  put({ "inside/a.txt": "one\n" });
  mkdirSync(at("elsewhere"));
  put({ "elsewhere/a.txt": "key\n" });
  renameSync(at("inside"), at("before"));
  symlinkSync("elsewhere", at("inside"));
  expect(await openSource({ realPath: at("inside/a.txt") })).toBe(null);
});
