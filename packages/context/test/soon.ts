/** What must be done within a time, on a machine of any speed: of three tries one must keep to the limit, as the machine was right then. */

import { expect } from "vitest";
import { processorTime, slowness } from "./slowness.ts";

/** `ready` gives the act anew for each try, so that nothing is remembered from the one before; it is not measured. */
export function expectSoon(milliseconds: number, ready: () => () => unknown): void {
  const tries: string[] = [];
  for (let count = 0; count < 3; count++) {
    const took = processorTime(ready());
    if (took <= milliseconds) return;
    const times = slowness();
    if (took <= milliseconds * times) return;
    tries.push(`${Math.round(took)} ms where ${Math.round(milliseconds * times)} were allowed`);
  }
  expect.fail(tries.join(", "));
}
