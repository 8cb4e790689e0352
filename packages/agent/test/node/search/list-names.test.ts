/** The names in a folder. */

import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { act, newGround } from "./ground.ts";

test("SEEK13 a folder is listed by name with kinds and sizes, ignored and hidden names too", async () => {
  const { put, at, search } = newGround();
  put({ ".gitignore": "b", b: "four", "a/x": "", ".git/x": "" });
  symlinkSync("a", at("link"));
  execFileSync("mkfifo", [at("pipe")]);
  expect(await search(null).list(".", act())).toEqual({
    type: "found",
    found: [
      { name: ".git/", kind: "folder" },
      { name: ".gitignore", kind: "file", bytes: 1 },
      { name: "a/", kind: "folder" },
      { name: "b", kind: "file", bytes: 4 },
      { name: "link", kind: "link" },
      { name: "pipe", kind: "other" },
    ],
    isAll: true,
  });
});

test("SEEK6 of many names the first are listed", async () => {
  const { put, search } = newGround();
  put(Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`f${String(1_499 - at).padStart(4, "0")}`, ""])));
  const found = await search(null).list(".", act(2));
  expect(found).toMatchObject({ found: [{ name: "f0000" }, { name: "f0001" }], isAll: false });
});

test("SEEK10 what is missing or no folder is said in words", async () => {
  const { put, search } = newGround();
  put({ "source/x": "" });
  const missing = "sorce is not there; that folder has source/";
  expect(await search(null).list("sorce", act())).toEqual({ type: "missing", message: missing });
  expect(await search(null).list("source/x", act())).toMatchObject({
    type: "refused",
    message: expect.stringContaining("file, not a folder"),
  });
});
