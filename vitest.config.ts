/** Finds the tests of all packages, of the scripts and of the benchmarks, and sets their limits. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Long enough for a machine that is four times slower, and for fetching pi on a slow line. A hang still ends.
const LONGEST = 600_000;

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    globalSetup: ["packages/cli/test/inventory/empty-triggered.ts"],
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    // Vitest leaves a core to its watcher, which does not run here.
    maxWorkers: "100%",
    // What the programs that tests start take to start is mostly compiling, so it is kept from one to the next.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
  },
});
