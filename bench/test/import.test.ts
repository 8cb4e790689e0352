/** A bundled program starts and asks a model, and the suite says how long that takes beside the least a program can be. */

import { expect, test } from "vitest";
import { importSuite } from "../src/import/suite.ts";

test("the bundle works, and starts in less than twice the time of a program without dependencies", async () => {
  const figures = await importSuite.run({ quick: true, seed: 1, corpus: undefined, facts: undefined, log: () => {} });
  // 1.4 to 1.6 was measured; the rest is for a machine that does other things meanwhile.
  expect(figures.provider_start_x_floor).toBeLessThan(2.2);
  expect(figures.provider_start_x_floor).toBeGreaterThan(1);
});
