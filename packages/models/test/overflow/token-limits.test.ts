/** Tests overflow/token-limits.ts: limit and request of error texts. */

import { expect, test } from "vitest";
import { classifyRefusal } from "../../src/overflow/index.ts";
import { moreRows, refusal, rows } from "./rows.ts";

/** By place in the table: limit and request, where the text has them. */
const named: Readonly<Record<number, readonly [number?, number?]>> = {
  1: [200_000, 213_462],
  2: [200_000, 208_191],
  6: [128_000, 130_000],
  10: [30_000, 342_389],
  12: [272_000, 509_178],
  13: [1_048_575, 1_196_265],
  14: [1_048_576],
  18: [131_072, 537_812],
  20: [12_000, 14_137],
  21: [6_000, 36_114],
  26: [204_800, 309_977],
  27: [65_536],
  28: [131_040, 131_393],
  29: [262_144, 516_368],
  30: [4_097, 5_000],
  31: [131_072, 150_000],
  33: [128_000, 137_000],
  36: [262_144, 566_084],
  37: [256_000],
  41: [129_024],
  42: [40_960, 40_961],
  43: [32_768],
  45: [180_224, 180_283],
  48: [256_000, 5_958_968],
  49: [2_048, 5_152],
  50: [131_072],
  52: [262_144, 265_330],
  53: [8_192],
};

test.each(rows.map((row, at) => [at + 1, row] as const))(
  "OVF12 the limit and the requested tokens of row %i are numbers of its text",
  (at, row) => {
    const { limit, requested } = classifyRefusal(refusal(row));
    expect([limit, requested]).toEqual([named[at]?.[0], named[at]?.[1]]);
  },
);

test.each(moreRows.filter(({ source }) => source !== "made up"))(
  "OVF12 the limit and the requested tokens are found in: $text",
  (row) => {
    const { limit, requested } = classifyRefusal(refusal(row));
    expect({ limit, requested }).toEqual({ limit: row.limit, requested: row.requested });
  },
);

test("OVF12 a number of excess tokens is neither the limit nor the request", () => {
  const text = "prompt too long; exceeded max context length by 1234 tokens";
  expect(classifyRefusal({ status: 400, text })).toEqual({ class: "overflow" });
});

test("OVF12 errors that are not about tokens have no limit", () => {
  for (const row of [...rows, ...moreRows].filter(
    ({ expected }) => expected !== "overflow" && expected !== "tpm_ceiling",
  ))
    expect(classifyRefusal(refusal(row))).toEqual({ class: row.expected });
});
