/** Runs check-house on this repository. */

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runChecks } from "../house/run-checks.ts";

test("DOOR1 this repository has no fault of check-house", () => {
  expect(runChecks(resolve(import.meta.dirname, "../..")).faults).toEqual([]);
});
