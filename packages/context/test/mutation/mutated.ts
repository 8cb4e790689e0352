/** What a mutation run changes, and the tests that must notice: the modules that decide about loss, and all tests of theirs that are quick. */

/** Paths and patterns, from the root of the repository. */
export const mutated: readonly string[] = [
  "packages/context/src/compaction/cut-point.ts",
  "packages/context/src/compaction/plan.ts",
  "packages/context/src/compaction/check-candidate.ts",
  "packages/context/src/summary/check-summary.ts",
  "packages/context/src/summary/repair.ts",
];

/** What `--quick` changes: the one that the others stand on. */
export const mutatedQuickly = "packages/context/src/compaction/cut-point.ts";

export const noticing: readonly string[] = [
  "packages/context/test/compaction/**/*.test.ts",
  "packages/context/test/summary/**/*.test.ts",
  "packages/context/test/stories/**/*.test.ts",
];

/** A mutant runs all tests that reach it: what takes a second here takes minutes there. */
export const tooSlow: readonly string[] = [
  "packages/context/test/compaction/lives/*.test.ts",
  "packages/context/test/compaction/any-size.test.ts",
  "packages/context/test/compaction/failing-summarizer.test.ts",
  "packages/context/test/compaction/kept-work.test.ts",
  "packages/context/test/summary/check-summary/hostile.test.ts",
  "packages/context/test/summary/check-summary/properties.test.ts",
  "packages/context/test/stories/09-a-crash.test.ts",
  "packages/context/test/stories/22-many-screenshots.test.ts",
];

/** What of the repository is copied for the run, beside its node_modules. */
export const needed: readonly string[] = [
  "package.json",
  "tsconfig.base.json",
  "packages/context/*.json",
  "packages/context/{src,test}/**",
];
