/** How tests run against a mutant: only those that are quick, and all files in one place, which saves most of the time. */

import { defineConfig } from "vitest/config";

const noticing: readonly string[] = [
  "packages/context/test/compaction/**/*.test.ts",
  "packages/context/test/summary/**/*.test.ts",
  "packages/context/test/stories/**/*.test.ts",
];

/** A mutant runs all tests that reach it: what takes a second here takes minutes there. */
const tooSlow: readonly string[] = [
  "packages/context/test/compaction/random-sessions/*.test.ts",
  "packages/context/test/compaction/any-size.test.ts",
  "packages/context/test/compaction/failing-summarizer.test.ts",
  "packages/context/test/compaction/kept-work.test.ts",
  "packages/context/test/summary/check-summary/hostile.test.ts",
  "packages/context/test/summary/check-summary/properties.test.ts",
  "packages/context/test/stories/09-a-crash.test.ts",
  "packages/context/test/stories/22-many-screenshots.test.ts",
];

// biome-ignore lint/style/noDefaultExport: this is how Vitest reads it.
export default defineConfig({
  test: { include: [...noticing], exclude: [...tooSlow], isolate: false, testTimeout: 60_000 },
});
