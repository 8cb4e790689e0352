/** Runs .ci/run with a small test of its own. The other steps, and the programs that it would install, do nothing. */

import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { writeTree } from "./run-script.ts";

const root = resolve(import.meta.dirname, "../..");
const ciRun = readFileSync(join(root, ".ci/run"), "utf8");
const STEPS = ["tools", "install", "release age", "check", "test", "inventory", "try install", "examples"];

test("CI1 a run with a skipped test fails and prints its name", () => {
  const { status, lines, errors } = runCi(`test("one", () => {});\ntest.skip("two is left out", () => {});`);
  expect(errors).toContain("skipped: two is left out");
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(status).toBe(1);
});

test("CI1 a run without a skipped test passes, and prints the time of each step", () => {
  const { status, lines, errors } = runCi(`test("one", () => {});\ntest("two", () => {});`);
  expect(listTimes(lines)).toEqual([...STEPS, "the whole run"]);
  expect(errors).not.toContain("skipped");
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed$/);
  expect(status).toBe(0);
});

test.each([
  ["checks", STEPS.filter((step) => !["test", "inventory"].includes(step))],
  ["libraries", ["tools", "install", "test"]],
  ["program", ["tools", "install", "test", "inventory"]],
])("CI1 the part %s runs only its steps", (part, steps) => {
  const { status, lines } = runCi(`test("one", () => {});`, part);
  expect(listTimes(lines)).toEqual([...steps, "the whole run"]);
  expect(status).toBe(0);
});

test("CI1 a part that does not exist is refused", () => {
  const { status, errors } = runCi("", "agent");
  expect(status).toBe(2);
  expect(errors).toContain('"agent"');
});

function listTimes(lines: readonly string[]): readonly (string | undefined)[] {
  const times = lines.slice(0, -1).filter((line) => /^.+ \d+ s, CPU +\d+ s, the cores waited +\d+ s$/.test(line));
  return times.map((line) => line.split(/ {2,}/)[0]);
}

function runCi(tests: string, ...args: readonly string[]) {
  const scripts = ["scripts/with-node24", "scripts/try-install", ...listTools().map((tool) => `bin/${tool}`)];
  const folder = writeTree({
    ...Object.fromEntries(scripts.map((path) => [path, "#!/bin/sh\n"])),
    ".ci/run": ciRun,
    "small.test.mjs": `import { test } from "vitest";\n${tests}\n`,
    "scripts/with-node24": WITH_NODE,
  });
  for (const path of scripts) chmodSync(join(folder, path), 0o755);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const path = [join(folder, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const { status, stdout, stderr } = spawnSync("bash", [join(folder, ".ci/run"), ...args], {
    env: { HOME: folder, PATH: path },
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n"), errors: stderr };
}

/** Runs the small test for `pnpm test`, and prints the count of one example. */
const WITH_NODE = `#!/bin/sh
case "$*" in
  "pnpm test"*) exec node node_modules/vitest/vitest.mjs run --root . small.test.mjs --reporter=json --outputFile="$PITH_TEST_RESULTS" ;;
  *examples*) echo "1 passed, 0 failed" ;;
esac
`;

/** The programs that must be there, so that nothing is installed. */
function listTools(): readonly string[] {
  return /^tools=\((.*)\)$/m.exec(ciRun)?.[1]?.split(" ") ?? [];
}
