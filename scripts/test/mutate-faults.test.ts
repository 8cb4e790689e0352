/** Checks the list of fixed faults: no entry may name text or a test that is gone. */

import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type FixedFault, findProblems, parseFaults, readFaults } from "../mutate-faults.ts";
import { writeTree } from "./run-script.ts";

const root = resolve(import.meta.dirname, "../..");

const knownFaults = readFaults(root);

test("CI3 a list is read to its last line", () => {
  const list =
    "@ a.ts a.test.ts\nit broke\n? A1 it\n- one\n-   two\n+ three\nit hung\n? A2 it\n- four\n\n@ b.ts b.test.ts\n";
  expect(parseFaults(list)).toEqual([
    { fault: "it broke", file: "a.ts", test: "a.test.ts", title: "A1 it", search: "one\n  two", replace: "three" },
    { fault: "it hung", file: "a.ts", test: "a.test.ts", title: "A2 it", search: "four", replace: "" },
  ]);
  const lines = globSync("scripts/faults/*.txt", { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), "utf8").split("\n"),
  );
  expect(knownFaults).toHaveLength(lines.filter((line) => line.startsWith("? ")).length);
  const count = (faults: readonly FixedFault[]): number =>
    faults.reduce((sum, { search, replace }) => sum + `${search}\n${replace}`.trimEnd().split("\n").length + 2, 0);
  expect(count(knownFaults)).toBe(lines.filter((line) => line !== "" && !line.startsWith("@ ")).length);
});

test("CI3 each fixed fault names text that its file has once, and a test that exists", () => {
  expect(knownFaults.flatMap((fault) => findProblems(root, fault))).toEqual([]);
});

test("CI3 two faults do not have the same description", () => {
  const names = knownFaults.map(({ fault }) => fault);
  expect(names).toEqual([...new Set(names)]);
});

const fault: FixedFault = {
  ...{ fault: "it broke", file: "a.ts", search: "fix", replace: "" },
  ...{ test: "a.test.ts", title: "A1 it" },
};

test.each([
  ["nothing", {}, []],
  ["text that is gone", { search: "gone" }, ["it broke: the text of the fix is 0 times in a.ts"]],
  ["text that occurs twice", { search: "he" }, ["it broke: the text of the fix is 2 times in a.ts"]],
  ["a file that is gone", { file: "b.ts" }, ["it broke: the text of the fix is 0 times in b.ts"]],
  ["a test that is gone", { title: "A2" }, ['it broke: a.test.ts has no test "A2"']],
  ["a replacement that changes nothing", { replace: "fix" }, ["it broke: the replacement changes nothing"]],
] as const)("CI3 findProblems reports %s", (_, change, problems) => {
  const tree = writeTree({ "a.ts": "the fix here", "a.test.ts": 'test("A1 it works", () => {});' });
  expect(findProblems(tree, { ...fault, ...change })).toEqual(problems);
});
