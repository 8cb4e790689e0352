/** Changes the sources, one place at a time, and looks whether a test fails: `pnpm mutate [WORD…]`, `pnpm mutate --quick`. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

/** Paths and patterns, from the root of the repository. */
const mutated: readonly string[] = [
  "packages/context/src/compaction/cut-point.ts",
  "packages/context/src/compaction/plan.ts",
  "packages/context/src/compaction/check-candidate.ts",
  "packages/context/src/summary/check-summary.ts",
  "packages/context/src/summary/repair.ts",
];

/** What `--quick` changes: the one that the others stand on. */
const mutatedQuickly = "packages/context/src/compaction/cut-point.ts";

/** What of the repository is copied for the run, beside its node_modules. */
const needed: readonly string[] = [
  "package.json",
  "tsconfig.base.json",
  "packages/context/*.json",
  "packages/context/{src,test}/**",
];

const usage = `pnpm mutate [WORD…] [--quick]

Changes the modules that decide about loss, prints every change that no test noticed, and fails when less than 80 % were.
Those that none can notice are listed in packages/context/test/mutants.md.

  pnpm mutate                      all of them, about half an hour
  pnpm mutate plan.ts commit       those with one of these words in their path
  pnpm mutate --quick              the cut alone, a few minutes`;

const options = { quick: { type: "boolean" }, help: { type: "boolean" } } as const;

const { values, positionals } = readArguments();
const chosen = values.quick ? [mutatedQuickly] : containing(positionals);
if (values.help) console.log(usage);
else if (chosen.length === 0) fail(`nothing that is mutated has "${positionals.join('" or "')}" in its path`);
else await mutate(chosen);

function readArguments() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function containing(words: readonly string[]): readonly string[] {
  return words.length === 0 ? mutated : mutated.filter((path) => words.some((word) => path.includes(word)));
}

function fail(why: string): never {
  console.error(`mutate: ${why}\n\n${usage}`);
  process.exit(2);
}

async function mutate(paths: readonly string[]): Promise<void> {
  const begun = performance.now();
  process.chdir(resolve(import.meta.dirname, "../../../.."));
  const stryker = new Stryker({
    mutate: [...paths],
    ignorePatterns: ["**", ...needed.map((path) => `!${path}`)],
    testRunner: "vitest",
    vitest: { configFile: "packages/context/test/mutation/vitest.config.ts" },
    // pnpm keeps it where Stryker does not look by itself.
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
    // Its rewriting of tsconfig files needs an older TypeScript; the copy is whole, so that they hold as they are.
    tsconfigFile: "none",
    tempDirName: ".stryker",
    cleanTempDir: "always",
    concurrency: 1,
    // What takes too long counts as noticed; on a busy machine that would be said of too many.
    timeoutMS: 30_000,
    reporters: ["progress-append-only", "clear-text"],
    clearTextReporter: { logTests: false, reportTests: false, allowEmojis: false },
    thresholds: { high: 90, low: 80, break: 80 },
  });
  try {
    await stryker.runMutationTest();
  } catch {
    // Stryker has said why.
    process.exitCode = 1;
  }
  console.log(`mutate: ${Math.round((performance.now() - begun) / 1000)} s`);
}
