/** Where tests live: beside each package's src, mirrored path for path. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    testTimeout: 120_000,
    // Fetching pi may take a while on a slow line.
    hookTimeout: 120_000,
    // Vitest leaves a core to its watcher; nobody watches here.
    maxWorkers: "100%",
  },
});
