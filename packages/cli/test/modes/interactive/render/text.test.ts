/** Names and what is said of them, in two columns. */

import { expect, test } from "vitest";
import { wrapColumns } from "../../../../src/modes/interactive/render/text.ts";

const TEXT = "All:\n  /pin [words]  keep words through every compaction\n  /new          begin";

test("SCR16 a description that does not fit beside its name continues in its own column", () => {
  expect(wrapColumns(TEXT, { width: 40 })).toEqual([
    "  All:",
    "    /pin [words]  keep words through",
    "                  every compaction",
    "    /new          begin",
  ]);
});

test("SCR16 the description of a long name starts on the next line", () => {
  expect(wrapColumns(TEXT, { width: 30 })).toEqual([
    "  All:",
    "    /pin [words]",
    "      keep words through every",
    "      compaction",
    "    /new          begin",
  ]);
});

test("SCR16 text without columns is wrapped as usual", () => {
  expect(wrapColumns("one  two three\n\nfour", { width: 10 })).toEqual(["  one  two", "  three", "", "  four"]);
});
