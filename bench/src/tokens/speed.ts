/** How many megabytes of text an estimate takes in a second. */

import { median } from "../statistics.ts";

export function megabytesPerSecond(estimate: (text: string) => number, text: string, runs: number): number {
  const bytes = Buffer.byteLength(text);
  estimate(text);
  const rates = Array.from({ length: runs }, () => {
    const start = performance.now();
    estimate(text);
    return bytes / 1000 / (performance.now() - start);
  });
  return median(rates);
}
