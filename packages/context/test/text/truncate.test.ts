/** Tests that a long text is truncated to its head, its tail and its handle. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { truncateMiddle } from "../../src/text/truncate.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index} of the output`).join("\n");

describe("truncateMiddle", () => {
  test("CUT7 returns a short text as it is", () => {
    expect(truncateMiddle("a few words", { tokens: 10, handle: "#1" })).toBe("a few words");
  });

  test("CUT7 keeps head, tail and handle, cut at line ends", () => {
    const text = truncateMiddle(lines(2000), { tokens: 200, handle: "#1" });
    expect(text).toMatch(/^line 0 of the output\n/);
    expect(text).toMatch(/line 1999 of the output$/);
    expect(text).toMatch(
      /of the output\n\[… [\d,]+ of about [\d,]+ tokens are left out here; #1 opens all of it …\]\nline/,
    );
  });

  test("CUT7 stays within the tokens and well-formed, for any text", () => {
    const texts = fc.oneof(
      fc.string({ minLength: 1, maxLength: 4000, unit: "binary" }),
      fc.nat(3000).map(lines),
      fc.nat(5000).map((count) => "漢字😀".repeat(count)),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 3000 }), (text, tokens) => {
        const short = truncateMiddle(text, { tokens, handle: "#1" });
        expect(textTokens(short)).toBeLessThanOrEqual(tokens);
        if (text.isWellFormed()) expect(short.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
