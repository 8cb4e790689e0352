/** What waits, in one line each. */

import { expect, test } from "vitest";
import { queuedWords } from "../../../src/screen/state/queued-words.ts";

test("TYP1 what waits is seen in one line: its words, without the files that are said with them", () => {
  const said = [
    "leave the snapshots alone",
    '<file path="a.ts">\nlet a;\n</file>\nlook at @a.ts first\nand then at the rest',
    "[picture 1: 16 bytes png]\n[image/png]\nwhat is [picture 1: 16 bytes png]?",
    "one\ntwo\nthree",
  ];
  expect(queuedWords(said)).toEqual([
    "leave the snapshots alone",
    "look at @a.ts first (+1 line)",
    "what is [picture 1: 16 bytes png]?",
    "one (+2 lines)",
  ]);
});

test("TYP1 however long the words are, little of them is kept to be drawn", () => {
  const [kept = ""] = queuedWords([`${"x".repeat(1_000_000)}\n${"y\n".repeat(100_000)}end`]);
  expect(kept.length).toBeLessThan(1_100);
  expect(kept).toMatch(/x \(\+100,001 lines\)$/);
});
