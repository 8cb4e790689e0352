/** Names and what is said of them, in two columns. */

import { expect, test } from "vitest";
import { wrapColumns } from "../../../../src/modes/interactive/render/text.ts";

const TEXT = "All:\n  /pin [words]  keep words through every compaction\n  /new          begin";

test("SCR16 what does not fit beside a name goes on below itself", () => {
  expect(wrapColumns(TEXT, { width: 40 })).toEqual([
    "  All:",
    "    /pin [words]  keep words through",
    "                  every compaction",
    "    /new          begin",
  ]);
});

test("SCR16 where a name takes most of the row, what is said of it stands below", () => {
  expect(wrapColumns(TEXT, { width: 30 })).toEqual([
    "  All:",
    "    /pin [words]",
    "      keep words through every",
    "      compaction",
    "    /new          begin",
  ]);
});

test("SCR16 other texts are broken as any text", () => {
  expect(wrapColumns("one  two three\n\nfour", { width: 10 })).toEqual(["  one  two", "  three", "", "  four"]);
});
