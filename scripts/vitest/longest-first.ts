/** Orders the test files: the longest first, so that no worker is left with one at the end while the others have nothing to do. */

import { relative } from "node:path";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { readTimes, root } from "./file-reporter.ts";

/** Files that take longer than others of their size, on a clean checkout, which has no times of earlier runs. */
const LONGEST: readonly string[] = [
  "packages/cli/test/hostile/hostile.test.ts",
  "packages/cli/test/e2e.test.ts",
  "packages/cli/test/bounds/bounds.test.ts",
  "packages/agent/test/compaction/prepare-summary.test.ts",
  "packages/agent/test/loop/long-run-faults.test.ts",
  "bench/test/survival.test.ts",
  "bench/test/rules.test.ts",
  "packages/cli/test/policy/start.test.ts",
  "bench/test/compaction.test.ts",
  "packages/agent/test/compaction/slow-summariser.test.ts",
  "bench/test/honest.test.ts",
  "scripts/test/release-dry-run.test.ts",
  "packages/cli/test/extensions/hang.test.ts",
  "bench/test/stall.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const times = readTimes();
    const rank = ({ moduleId }: TestSpecification): number => {
      const file = relative(root, moduleId);
      const position = LONGEST.indexOf(file);
      return times[file] ?? (position === -1 ? 0 : 1_000 - position);
    };
    // The sort is stable: files without a time stay in the order of their projects and sizes.
    return (await super.sort(specifications)).sort((a, b) => rank(b) - rank(a));
  }
}
