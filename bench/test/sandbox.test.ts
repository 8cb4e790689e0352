/** Tests that a command in the sandbox takes no longer than a busy machine explains. */

import { expect, test } from "vitest";
import { measureSandbox } from "../src/sandbox/suite.ts";

test("BOX29 the sandbox adds less than two seconds to a command", async () => {
  const figures = await measureSandbox(5);
  expect(figures).toMatchObject({ runs: 5 });
  expect(figures.bare_true_ms).toBeGreaterThan(0);
  expect(figures.sandbox_adds_to_true_ms).toBeLessThan(2_000);
  expect(figures.sandbox_adds_to_node_ms).toBeLessThan(2_000);
  expect(figures.open_ms).toBeLessThan(20_000);
});
