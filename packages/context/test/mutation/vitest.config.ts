/** How tests run against a mutant: only those that are quick, and all files in one place, which saves most of the time. */

import { defineConfig } from "vitest/config";
import { noticing, tooSlow } from "./mutated.ts";

// biome-ignore lint/style/noDefaultExport: this is how Vitest reads it.
export default defineConfig({
  test: { include: [...noticing], exclude: [...tooSlow], isolate: false, testTimeout: 60_000 },
});
