/** Proves when a summary says what the user asked for last. */

import { expect, test } from "vitest";
import { wrongRequest } from "../../../../src/summary/auditing/checks/request.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor, summaryWith } from "../asked.ts";

const session = ["user: fix it", "says: ok", "user: now test it"];
const request = { id: "e3", text: "now test it" };

const codes = (text: string, asked: typeof request | null = request): readonly string[] =>
  wrongRequest({ lines: placeLines(text.split("\n")), evidence: evidenceFor(session, { request: asked }) }).map(
    ({ code }) => code,
  );

test.each([
  summaryWith({ "## Goal": "- now test it (entry:e3)" }),
  summaryWith({ "## Goal": "- fix it (entry:e1)\n- and test it (entry:e1, entry:e3)" }),
  `${summaryWith({})}\n## Original Request\n- now test it (entry:e3)`,
  "no headings at all",
  "## Notes\n- nothing is asked here",
])("AUD6 %j is right", (text) => {
  expect(codes(text)).toEqual([]);
});

test.each([
  summaryWith({ "## Goal": "- fix it (entry:e1)" }),
  summaryWith({ "## Goal": "- now test it" }),
  summaryWith({ "### In Progress": "- [ ] now test it (entry:e3)" }),
  summaryWith({ "## Constraints & Preferences": "- now test it (entry:e3)" }),
  summaryWith({ "## Goal": "- (entry:e33)" }),
])("AUD6 %j is not", (text) => {
  expect(codes(text)).toEqual(["wrong-request"]);
});

test("AUD6 where the tail says it, the Goal need not", () => {
  expect(codes(summaryWith({}), null)).toEqual([]);
});
