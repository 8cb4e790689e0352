/** What is worth knowing of a compaction, from its receipt. */

import type { Finding, Receipt } from "@pith/context";
import { expect, test } from "vitest";
import { qualityOf } from "../../../src/loop/fitting/quality.ts";

const once = { hasWriters: true, isAgain: false };

function codes(route: string, findings: readonly Finding[], circumstances = once): readonly string[] {
  return qualityOf({ route, findings } as Receipt, circumstances).map(({ code }) => code);
}

const failed: Finding = { code: "writer-failed", note: "p/m: empty" };
const mended: Finding = { code: "unfounded", note: "line 2 is made up" };
const evicted: Finding = { code: "words-evicted", note: "2 messages are no longer shown" };
const reduced: Finding = { code: "result-reduced", note: "entry:e3 is shown as head and tail" };

test("EVT4 a sound summary is worth no word", () => {
  expect(codes("model", [])).toEqual([]);
  expect(codes("model", [reduced])).toEqual([]);
});

test("EVT4 who had to give up, what was mended and which words are gone are told apart", () => {
  expect(codes("model", [failed, mended, evicted, reduced])).toEqual(["repaired", "writer-failed", "words-evicted"]);
  expect(codes("model-free", [failed, evicted])).toEqual(["told-by-code", "words-evicted"]);
  expect(codes("model-free", [failed], { ...once, hasWriters: false })).toEqual(["writer-failed"]);
  expect(codes("model", [], { ...once, isAgain: true })).toEqual(["compacted-again"]);
});

test("EVT4 told by code alone, it says what came in the way; mended, it says where and how often", () => {
  const noteOf = (route: string, findings: readonly Finding[]) =>
    qualityOf({ route, findings } as Receipt, once)[0]?.note;
  expect(noteOf("model-free", [failed])).toContain("(p/m: empty)");
  expect(noteOf("model", [mended, mended])).toMatch(/line 2 is made up, and 1 more$/);
});
