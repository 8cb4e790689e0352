/** Proves that numbers a model cites become ids, and that what stands for nothing can still be found fault with. */

import { expect, test } from "vitest";
import { withIds } from "../../../src/summary/asking/citations.ts";
import { expectSoon } from "../../soon.ts";

const ids = ["a1", "b2", "c3"];

test.each([
  ["- it is done [e1]", "- it is done (entry:a1)"],
  ["- it is done [e1, e3]", "- it is done (entry:a1, entry:c3)"],
  ["- it is done [e1; e2]", "- it is done (entry:a1, entry:b2)"],
  ["- it is done [e1,2]", "- it is done (entry:a1, entry:b2)"],
  ["- it is done [E2]", "- it is done (entry:b2)"],
  ["- it is done [e1][e2]", "- it is done (entry:a1)(entry:b2)"],
  ["- it is done [e9]", "- it is done [e9]"],
  ["- it is done [e0, e2, e4]", "- it is done (entry:b2) [e0] [e4]"],
  ["- it is done [e999999999]", "- it is done [e999999999]"],
  ["- as told before (entry:z9)", "- as told before (entry:z9)"],
  ["- a list[e] and [1] and [e1x] and e1", "- a list[e] and [1] and [e1x] and e1"],
])("SUM6 %s", (text, read) => {
  expect(withIds(text, ids)).toBe(read);
});

test("SUM6 a text of a million letters is read at once", () => {
  const hostile = ["[e1, ", "[e", "[e1,   ", "[e1 ", "1"].map((piece) => piece.repeat(200_000));
  expectSoon(40, () => () => {
    for (const text of hostile) expect(withIds(text, ids)).toBe(text);
  });
});
