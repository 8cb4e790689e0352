/** Where tests live: beside each package's src, mirrored path for path. */

import { join } from "node:path";
import { defineConfig } from "vitest/config";

// A hang is found all the same; a machine that is four times slower is none. Fetching pi may take a while on a slow line.
const LONGEST = 600_000;

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    globalSetup: ["packages/cli/test/inventory/empty-triggered.ts"],
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    // Vitest leaves a core to its watcher; nobody watches here.
    maxWorkers: "100%",
    // What the programs that tests start take to start is mostly compiling, so it is kept from one to the next.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
  },
});
