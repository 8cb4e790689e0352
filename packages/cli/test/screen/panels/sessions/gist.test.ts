/** Two sentences of a checkpoint. */

import { expect, test } from "vitest";
import { gistOf } from "../../../../src/screen/panels/sessions/gist.ts";

test("RES10 a gist is what is wanted and what comes next, without marks and numbers", () => {
  const summary = [
    "<user-words>say it</user-words>",
    "## Goal",
    "- Ship the **importer** before Friday [e1, e3]",
    "- and tell what it cannot read (entry:abc)",
    "",
    "## Progress",
    "### Done",
    "- [x] reading rows [e2]",
    "",
    "### In Progress",
    "- [ ] broken rows [e3]",
    "",
    "## Next Steps",
    "1. write the tests",
  ].join("\n");
  expect(gistOf(summary)).toBe("Ship the importer before Friday. Next: broken rows.");
});

test.each([
  ["## Goal\n- (none)\n\n## Next Steps\n1. look at it!\n", "Next: look at it!"],
  ["## Goal\n- Nur das hier", "Nur das hier."],
  ["words of another program", null],
  ["", null],
])("RES10 what a summary does not say is left out: %j", (summary, gist) => {
  expect(gistOf(summary)).toBe(gist);
});
