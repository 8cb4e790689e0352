/** Values that were met before, and found again: many of them, some within others. */

import { createHmac } from "node:crypto";
import { Vault } from "@pith/context/secrets";
import { plantedSecrets, seededChance } from "@pith/context/testing";
import { expect, test } from "vitest";
import { processorTime } from "../slowness.ts";

const digest = (value: string): string => createHmac("sha256", "a key for tests").update(value).digest("hex");

test("SEC5 where one value begins within another, nothing of either is left, and both come back", () => {
  const [one, other, within] = ["tQ7-plank-91x-oak", "x-oak-Zz81-river-4", "plank-91x-oak"];
  const own = new Vault({ digest, environment: { ONE_TOKEN: one, OTHER_TOKEN: other, THIRD_TOKEN: within } });
  const text = `${one}-Zz81-river-4 and ${one} and ${within}`;
  const redacted = own.redacted(text);
  for (const piece of ["plank", "river", "oak"]) expect(redacted).not.toContain(piece);
  expect(own.redacted(redacted)).toBe(redacted);
  expect(own.restored(redacted)).toEqual({ type: "restored", value: text });
});

test("SEC8 thousands of values that begin alike are looked for as fast as a few", { retry: 2 }, () => {
  const looking = (count: number): number => {
    const own = new Vault({ digest });
    const chance = seededChance(count);
    own.learn(Array.from({ length: count }, () => `x ${plantedSecrets(1, chance)[0]?.text}\n`).join(""));
    const text = " ghp_ghp_ghp".repeat(20_000);
    return processorTime(() => own.redacted(text));
  };
  looking(10);
  expect(looking(4_000)).toBeLessThan(Math.max(200, looking(40) * 6));
});
