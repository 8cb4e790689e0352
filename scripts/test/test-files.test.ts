/** Tests what the test runner adds to Vitest: the check of globals, and the choice of tests for a change. */

import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { rankTests, readImportGraph } from "../test-changed.ts";
import { writeTree } from "./run-script.ts";

const root = resolve(import.meta.dirname, "../..");

const TESTS: Readonly<Record<string, string>> = {
  good: `test("one", () => { process.env.LATE = "1"; delete process.env.LATE; });`,
  variable: `test("one", () => { process.env.LATE = "1"; });`,
  folder: `test("one", () => process.chdir("/"));`,
  umask: `test("one", () => void process.umask(0o27));`,
  timers: `test("one", () => void vi.useFakeTimers());`,
};

test("CI4 a test file that leaves a global changed fails", () => {
  const files = Object.entries(TESTS).map(([name, text]) => [
    `${name}.test.mjs`,
    `import { test, vi } from "vitest";\n${text}\n`,
  ]);
  const setup = JSON.stringify(join(root, "scripts/vitest/check-globals.ts"));
  const config = `export default { test: { setupFiles: [${setup}], experimental: { viteModuleRunner: false, nodeLoader: false } } };\n`;
  const folder = writeTree({ ...Object.fromEntries(files), "vitest.config.mjs": config });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const report = join(folder, "report.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["run", "--root", folder, "--reporter=json", `--outputFile=${report}`];
  spawnSync(process.execPath, [vitest, ...args], { cwd: folder });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: readonly { name: string; status: string }[];
  };
  const failed = testResults
    .filter(({ status }) => status === "failed")
    .map(({ name }) => name.replace(/.*\/|\.test.*/g, ""));
  expect(failed.toSorted()).toEqual(
    Object.keys(TESTS)
      .filter((name) => name !== "good")
      .toSorted(),
  );
});

const graph = readImportGraph();

test.each([
  ["packages/context/src/compaction/undo.ts", "packages/context/test/compaction/edge-cases.test.ts"],
  ["packages/agent/src/tools/recall/recall.ts", "packages/agent/test/tools/recall.test.ts"],
  ["packages/cli/src/modes/rpc/server.ts", "packages/cli/test/modes/rpc/server.test.ts"],
])("CI5 the tests nearest to %s come first", (file, nearest) => {
  expect(rankTests(graph, [file]).slice(0, 5)).toContain(nearest);
});

test("CI5 a test that starts the built program is found by the imports of the program", () => {
  const tests = rankTests(graph, ["packages/cli/src/modes/print/json-output.ts"]);
  expect(tests).toContain("packages/cli/test/modes/print/json-mode.test.ts");
});
