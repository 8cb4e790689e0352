/** Tests globs against those of Node, and their speed on hostile patterns. */

import { matchesGlob } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPathMatcher, fileNameGlob } from "../src/glob.ts";

const fits = (path: string, glob: string): boolean => createPathMatcher(glob)?.(path) ?? false;

test("SEEK12 a glob with a slash matches what Node matches", () => {
  const piece = fc.constantFrom("a", "b", "ab", "*", "?", "[ab]", "[!a]", "{a,b}", "{a,*b}");
  const name = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    fc.constant("**"),
  );
  // A name with two stars in a row means something only to some.
  const globs = fc
    .array(name, { minLength: 2, maxLength: 4 })
    .map((names) => names.join("/"))
    .filter((glob) => !/[^/]\*\*|\*\*[^/]/.test(glob));
  const paths = fc
    .array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 4 })
    .map((names) => names.join("/"));
  fc.assert(
    fc.property(globs, paths, (glob, path) => fits(path, glob) === matchesGlob(path, glob) || isEmptyTail(glob, path)),
  );
});

/** For us `a/**` also matches `a`. A file cannot contain other files, so this makes no difference. */
function isEmptyTail(glob: string, path: string): boolean {
  return glob.endsWith("/**") && fits(path, glob.replace(/(?:\/\*\*)+$/, ""));
}

test.each([
  ["a/.b/c.ts", "*.ts"],
  ["a]b", "a[]]b"],
  ["a*b", "a\\*b"],
  ["x.ts", "{*.js,*.ts}"],
  ["x.ts", "*.{ts}"],
  ["a{b", "a{b"],
  ["x.b.ts", "x.{a,{b,c}}.ts"],
  ["😀.ts", "?.ts"],
])("SEEK12 %s is matched by %s", (path, glob) => {
  expect(fits(path, glob)).toBe(true);
});

test("SEEK11 a hostile glob is matched quickly or rejected", () => {
  expect(createPathMatcher("{a,b}".repeat(30))).toBeNull();
  expect(fits("a".repeat(10_000), `${"*a".repeat(500)}b`)).toBe(false);
  expect(fits("a/".repeat(1_000), `${"**/a/".repeat(100)}b`)).toBe(false);
});

test("SEEK12 fileNameGlob returns a glob for names only if all tools read it the same way", () => {
  const globs = ["*.ts", "src/**/*.{ts,tsx}", "src/**", "{a/b,c}", "a/[ab].ts", "a/", "**"];
  expect(globs.map(fileNameGlob)).toEqual(["*.ts", "*.{ts,tsx}", null, null, null, null, null]);
});
