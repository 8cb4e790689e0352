/** Tests shell-words.ts: quoting for a shell, and the tilde. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { expandTilde, quoteIfNeeded } from "../../src/text/shell-words.ts";

test("COM26 a leading ~ is expanded to the home folder", () => {
  expect(["~", "~/talk.md", "a~/b", "~other/x"].map((path) => expandTilde(path, "/home/ada"))).toEqual([
    "/home/ada",
    "/home/ada/talk.md",
    "a~/b",
    "~other/x",
  ]);
});

test("quoteIfNeeded quotes only what a shell would change, and the shell reads the same word", () => {
  const words = ["/a/b-c.json", "a@b:1,2%+", "~/keys.json", "=ls", "", "it's $HOME", "`id`", "a\nb", "*"];
  const quoted = words.map(quoteIfNeeded);
  expect(quoted.slice(0, 2)).toEqual(words.slice(0, 2));
  expect(execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${quoted.join(" ")}`], { encoding: "utf8" })).toBe(
    words.map((word) => `${word}\0`).join(""),
  );
});
