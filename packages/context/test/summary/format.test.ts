/** Proves the headings of each record: they are the documents' (B38). */

import { expect, test } from "vitest";
import { type Format, headings } from "../../src/summary/format.ts";

const goalToSteps = [
  "## Goal",
  "## Constraints & Preferences",
  "## Progress",
  "### Done",
  "### In Progress",
  "### Blocked",
  "## Key Decisions",
  "## Next Steps",
];

test.each<[Format, readonly string[]]>([
  ["summary", [...goalToSteps, "## Critical Context"]],
  ["branch", goalToSteps],
  ["turn", ["## Original Request", "## Early Progress", "## Context for Suffix"]],
])("SUM6 the record of a %s", (format, list) => {
  expect(headings(format)).toStrictEqual(list);
});
