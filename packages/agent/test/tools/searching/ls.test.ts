/** The tool `ls`. */

import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { newGround } from "./ground.ts";

test("SEEK13 folders, links and files are told apart, and files have a size", async () => {
  const { says, at } = newGround({ "src/a.ts": "", ".env": "x", "big.bin": "y".repeat(1536) });
  symlinkSync("src", at("link"));
  mkdirSync(at("empty"));
  expect(await says("ls", {})).toBe(".env  1 byte\nbig.bin  1.5 KB\nempty/\nlink@\nsrc/");
  expect(await says("ls", { path: "src" })).toBe("a.ts  0 bytes");
  expect(await says("ls", { path: "empty" })).toBe("[an empty folder]");
  expect(await says("ls", { path: "big.bin" })).toBe("big.bin is a file, not a folder");
});
