/** The house as it stands. */

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { inspect } from "../house/inspect.ts";

test("DOOR1 every package imports what the house allows, and nothing else", () => {
  expect(inspect(resolve(import.meta.dirname, "../..")).faults).toEqual([]);
});
