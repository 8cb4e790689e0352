/** Tests that any bytes can be read without an error and appended to. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong } from "../support/test-length.ts";
import { expectAppendable, findReadFaults } from "./file-invariants.ts";
import { damagedSession, noise } from "./mutations.ts";
import { read } from "./specimen.ts";

/** Printed by fast-check where it fails; `PITH_SEED` repeats it. */
const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));

test("INV52 LOG4 random bytes are reported as damage", () => {
  fc.assert(fc.property(noise, expectSound), { seed, numRuns: isLong ? 1_000 : 300 });
});

test("INV52 LOG4 a session with randomly changed bytes can be read", () => {
  fc.assert(fc.property(damagedSession, expectSound), { seed, numRuns: isLong ? 2_000 : 400 });
});

test("INV52 LOG4 a session with randomly changed bytes can be appended to", async () => {
  await fc.assert(fc.asyncProperty(damagedSession, workGoesOn), { seed, numRuns: isLong ? 500 : 100 });
});

function expectSound(bytes: Uint8Array): void {
  const copy = Uint8Array.from(bytes);
  const found = read(bytes);
  expect(findReadFaults(bytes, found)).toEqual([]);
  expect(bytes).toEqual(copy);
  for (const { entry, text } of found.lines) {
    const { id, parentId } = JSON.parse(text() ?? JSON.stringify(entry));
    expect([id, parentId]).toEqual([entry.id, entry.parentId]);
  }
}

async function workGoesOn(bytes: Uint8Array): Promise<void> {
  const version = read(bytes).header?.version ?? 1;
  if (version <= 3) await expectAppendable(bytes);
}
