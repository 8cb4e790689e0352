/** Compares estimates with real tokens. The test is here and not in the package, because it needs a tokenizer. */

import { textTokens } from "@pith/context";
import { describe, expect, test } from "vitest";
import { listHeldOutTexts } from "../../src/tokens/held-out-texts.ts";
import { countRealTokens } from "../../src/tokens/real-tokens.ts";
import { makeTexts } from "../../src/tokens/training-texts.ts";

const heldOut = listHeldOutTexts({ seed: 7, corpus: undefined });

describe("texts of kinds that the weights were not measured on", () => {
  test("are of at least eleven kinds, and the same seed generates the same texts", () => {
    expect(heldOut.length).toBeGreaterThanOrEqual(11);
    expect(listHeldOutTexts({ seed: 7, corpus: undefined })).toEqual(heldOut);
    const trained = new Set(makeTexts().map(({ name }) => name));
    expect(heldOut.filter(({ name }) => trained.has(name))).toEqual([]);
  });

  test.each(heldOut)("TOK4 are estimated within 17%: $name", ({ text }) => {
    expect(Math.abs(textTokens(text) / countRealTokens(text) - 1)).toBeLessThanOrEqual(0.17);
  });
});

test.each([...heldOut, ...makeTexts()])("TOK4 are estimated as at least 0.7 of the real tokens: $name", ({ text }) => {
  for (const length of [200, 2000, text.length]) {
    const part = text.slice(0, length).toWellFormed();
    expect(textTokens(part)).toBeGreaterThanOrEqual(0.7 * countRealTokens(part));
  }
});
