/** Proves when a summary is too long. */

import { expect, test } from "vitest";
import { textTokens } from "../../../../src/reading/tokens/text-tokens.ts";
import { tooLong } from "../../../../src/summary/auditing/checks/size.ts";

const story = "a few words that are counted";
const tokens = textTokens(story);

test("AUD1 as many tokens as are allowed are not too many, one more is", () => {
  expect(tooLong({ story, format: { sections: [], tokens } })).toEqual([]);
  expect(tooLong({ story, format: { sections: [], tokens: tokens - 1 } })).toEqual([
    { code: "too-long", note: `the summary has ${tokens} tokens, ${tokens - 1} are allowed`, line: null },
  ]);
});
