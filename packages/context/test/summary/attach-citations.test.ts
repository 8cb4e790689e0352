/** Tests the citations that code adds to a summary whose author saw no entry numbers. */

import { expect, test } from "vitest";
import { attachCitations } from "../../src/summary/attach-citations.ts";
import type { Evidence } from "../../src/summary/audit-evidence.ts";
import { buildVocabulary } from "../../src/summary/word-overlap.ts";

const evidence = createEvidence([
  ["#2", "user", "Make the parser faster and keep the tests green."],
  ["#4", "work", "read src/parser.ts: the tokenizer copies the whole buffer for every token"],
  ["#6", "work", "bash npm test: 41 tests passed, the parser tests took 12 seconds"],
  ["#8", "work", "edit src/parser.ts: the tokenizer keeps an offset into the buffer"],
]);

test("PFX6 a line gets the number of the entry that shares its rarest words", () => {
  expect(attach("## Critical Context\n- the tokenizer copies the buffer for every token")).toBe(
    "## Critical Context\n- the tokenizer copies the buffer for every token [#4]",
  );
  expect(attach("### Done\n- [x] tokenizer with an offset into the buffer")).toBe(
    "### Done\n- [x] tokenizer with an offset into the buffer [#8]",
  );
});

test.each([
  ["a citation of its own", "### Done\n- [x] 41 tests passed [#2]"],
  ["one word in common", "### Done\n- [x] ran the tokenizer"],
  ["the section Next Steps", "## Next Steps\n1. measure how the tokenizer keeps its offset"],
  ["the section Goal", "## Goal\n- the tokenizer keeps an offset into the buffer"],
  ["a mark", "### Done\n- [x] 41 tests passed in 12 seconds (unconfirmed)"],
  ["words of the user alone", "### Done\n- [x] make it faster, keep all green"],
])("PFX6 a line with %s stays as it is", (_, summary) => {
  expect(attach(summary)).toBe(summary);
});

function attach(summary: string): string {
  return attachCitations(summary, evidence);
}

function createEvidence(
  entries: readonly (readonly [reference: string, author: string, text: string])[],
): Pick<Evidence, "sources"> {
  const sources = new Map(
    entries.map(([reference, author, text]) => {
      const vocabulary = buildVocabulary(text);
      return [reference, { isFromUser: author === "user", vocabulary: () => vocabulary, attachment: null }] as const;
    }),
  );
  return { sources: () => sources };
}
