/** Proves which summaries say nothing. */

import { expect, test } from "vitest";
import { isEmpty } from "../../../../src/summary/auditing/checks/empty.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { summaryWith } from "../asked.ts";

const empty = (text: string): boolean => isEmpty(placeLines(text.split("\n")));

test.each([
  "",
  " \n\t\n",
  "## Goal\n\n## Progress\n### Done",
  summaryWith({}),
  summaryWith({ "## Goal": "- None.", "### Done": "- [x] n/a", "### Blocked": "- (nothing)" }),
  summaryWith({ "## Goal": "- keine", "### Done": "- 无", "### Blocked": "なし", "## Next Steps": "- нет" }),
  "...\n---\n- \n* * *\n[ ] ()",
  "- (entry:e1)\n- [e4]",
])("AUD1 %j says nothing", (text) => {
  expect(empty(text)).toBe(true);
});

test.each(["word", "## Goal\n- x", summaryWith({ "### Done": "- [x] it" }), "- none of them works", "- 0", "好"])(
  "AUD1 %j says something",
  (text) => {
    expect(empty(text)).toBe(false);
  },
);
