/** Finds the tests of all packages, of the scripts and of the benchmarks, and sets their limits. */

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { FileReporter } from "./scripts/vitest/file-reporter.ts";
import { LongestFirst } from "./scripts/vitest/longest-first.ts";

// Long enough for a machine that is four times slower, and for fetching pi on a slow line. A hang still ends.
const LONGEST = 600_000;

/** Set by `.ci/run`: the file that receives the results of all tests. */
const { PITH_TEST_RESULTS: results } = process.env;

export default defineConfig({
  test: {
    testTimeout: LONGEST,
    hookTimeout: LONGEST,
    // A condition that a test waits for has as long as the test.
    expect: { poll: { timeout: LONGEST, interval: 20 } },
    // Three more than there are cores: many tests wait for the programs that they start.
    maxWorkers: availableParallelism() + 3,
    // A worker imports the sources once, for all of its files. `check-globals.ts` fails a file that leaves a global changed.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node imports the sources as they are, as the program does.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: ["scripts/vitest/check-globals.ts", "scripts/vitest/measure-file.ts"],
    // What the programs that tests start take to start is mostly compiling, so it is kept from one to the next.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    reporters: results ? ["default", new FileReporter({ isPrinted: true }), "json"] : ["default", new FileReporter()],
    ...(results && { outputFile: results }),
    projects: [
      {
        extends: true,
        test: { name: "libraries", include: ["packages/{context,models,server,testkit}/test/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "program",
          include: ["packages/{agent,cli,host}/test/**/*.test.ts"],
          globalSetup: ["packages/cli/test/support/triggered.ts"],
        },
      },
      {
        // Not in the workers of the program, whose extensions change for good how other files import our packages.
        extends: true,
        test: { name: "tools", include: ["scripts/test/**/*.test.ts", "bench/test/**/*.test.ts"] },
      },
    ],
  },
});
