/** What a session did to files, as its results tell it. */

import { expect, test } from "vitest";
import { fileChanges } from "../../src/rewind/file-change.ts";
import { resultEntry } from "../tools/files/results.ts";

const [one, two] = ["1".repeat(64), "2".repeat(64)];

test("BACK1 the changes of files come in the order of the entries, a file as often as it was changed", () => {
  const entries = [
    resultEntry("write", { details: { pith: { path: "/a", before: null, after: one } } }),
    resultEntry("read", { details: { pith: { path: "/a", hash: one } } }),
    resultEntry("edit", { details: { diff: "", pith: { path: "/a", before: one, after: two, unkept: ["after"] } } }),
  ];
  expect(fileChanges(entries)).toEqual([
    { path: "/a", before: null, after: one },
    { path: "/a", before: one, after: two },
  ]);
});

test("BACK1 what failed, comes from other tools or has another shape is no change", () => {
  const pith = { path: "/a", before: null, after: one };
  const entries = [
    resultEntry("write", { isError: true, details: { pith } }),
    resultEntry("bash", { details: { pith } }),
    resultEntry("write", { details: { pith: { ...pith, path: null } } }),
    resultEntry("write", { details: { pith: { ...pith, before: "../x" } } }),
    resultEntry("write", { details: { pith: { ...pith, after: null } } }),
    resultEntry("write", { details: null }),
  ];
  expect(fileChanges(entries)).toEqual([]);
});
