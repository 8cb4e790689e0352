/** Tests that a bundled program starts and sends a request, and compares its start with that of a minimal program. */

import { expect, test } from "vitest";
import { importSuite } from "../src/import/suite.ts";

test("the bundle works, and starts in less than twice the time of a program without dependencies", async () => {
  const figures = await importSuite.run({ quick: true, seed: 1, corpus: undefined, facts: undefined, log: () => {} });
  // 1.4 to 1.6 was measured; the margin is for other load on the machine.
  expect(figures.provider_start_x_floor).toBeLessThan(2.2);
  expect(figures.provider_start_x_floor).toBeGreaterThan(1);
});
