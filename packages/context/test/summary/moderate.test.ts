/** How hard a summariser thinks. */

import { expect, test } from "vitest";
import { moderate } from "../../src/summary/moderate.ts";

test.each([
  ["off", "off"],
  ["minimal", "minimal"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "medium"],
  ["xhigh", "medium"],
  ["max", "medium"],
])("SUM10 a session that thinks at %s has its summaries written at %s", (level, asked) => {
  expect(moderate(level)).toBe(asked);
});
