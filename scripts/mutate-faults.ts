/**
 * `pnpm mutate:faults [WORD…]`: takes each fix listed in scripts/faults out of a copy of the checkout, and runs its test with the fix and
 * without it. Fails if a test passes without the fix. The words choose faults by their text.
 *
 * A list has groups. A group begins with `@`, the file with the fixes and the file with the tests. Below it, each fault has a line that says
 * what the program did wrong, a line `?` with the name of the test or how it begins, the text of the fix in lines `-`, and what stands there
 * without the fix in lines `+`.
 */

import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { listTestNames } from "./check-rules.ts";
import { copyCheckout, linkInstalledPackages } from "./copy-checkout.ts";
import { formatCount } from "./fault.ts";

export interface FixedFault {
  /** What the program did wrong. */
  readonly fault: string;
  /** The file with the fix. Paths are relative to the root of the repository. */
  readonly file: string;
  /** Text of the fix, which the file has exactly once. */
  readonly search: string;
  /** What stands there without the fix. */
  readonly replace: string;
  readonly test: string;
  /** The name of the test, or how it begins. */
  readonly title: string;
}

/** Reads the lists in `scripts/faults`. */
export function readFaults(root: string): readonly FixedFault[] {
  return globSync("scripts/faults/*.txt", { cwd: root }).flatMap((path) => parseFaults(readText(root, path)));
}

export function parseFaults(text: string): readonly FixedFault[] {
  return text.split(/^@ /m).flatMap((group) => {
    const [, file = "", test = "", faults = ""] = /^(\S+) (\S+)\n(.*)$/s.exec(group) ?? [];
    return [...faults.matchAll(/^(.+)\n\? (.+)\n((?:- .*\n)+)((?:\+ .*\n)*)/gm)].map(
      ([, fault = "", title = "", fix = "", replacement = ""]) => ({
        ...{ fault, file, test, title },
        search: removeMarks(fix),
        replace: removeMarks(replacement),
      }),
    );
  });
}

function removeMarks(lines: string): string {
  return lines.replace(/^[-+] /gm, "").replace(/\n$/, "");
}

async function mutateFaults(root: string, words: readonly string[]): Promise<void> {
  const chosen = readFaults(root).filter(
    ({ fault }) => words.length === 0 || words.some((word) => fault.includes(word)),
  );
  const problems = chosen.flatMap((fault) => findProblems(root, fault));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0 || chosen.length === 0) throw new Error("nothing was run");
  const folder = mkdtempSync(join(tmpdir(), "pith-faults-"));
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error("stopped")));
  try {
    copyCheckout(root, folder);
    linkInstalledPackages(root, folder);
    const results: boolean[] = [];
    for (const fault of chosen) results.push(await tryFault(fault, folder, stop.signal));
    const unnoticed = results.filter((isNoticed) => !isNoticed).length;
    console.log(`\n${formatCount(chosen.length, "fault")}, ${unnoticed} not noticed`);
    process.exitCode = unnoticed > 0 ? 1 : 0;
  } finally {
    // A worker of a stopped test may still write for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** What in the entry is out of date: the text of the fix is not once in its file, or the test is not there. */
export function findProblems(root: string, { fault, file, search, replace, test, title }: FixedFault): string[] {
  const count = readText(root, file).split(search).length - 1;
  const names = listTestNames({ path: test, text: readText(root, test) });
  return [
    ...(count === 1 ? [] : [`${fault}: the text of the fix is ${count} times in ${file}`]),
    ...(search === replace ? [`${fault}: the replacement changes nothing`] : []),
    ...(names.some(({ name }) => name.startsWith(title)) ? [] : [`${fault}: ${test} has no test "${title}"`]),
  ];
}

function readText(root: string, path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}

async function tryFault(fixedFault: FixedFault, folder: string, stop: AbortSignal): Promise<boolean> {
  const { fault, file, search, replace, test, title } = fixedFault;
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const withFix = await runTest(fixedFault, folder, stop);
  // A function, because a replacement may contain `$`.
  writeFileSync(
    path,
    text.replace(search, () => replace),
  );
  const withoutFix = await runTest(fixedFault, folder, stop);
  writeFileSync(path, text);
  const isNoticed = withFix.status === "passed" && withoutFix.status === "failed";
  console.log(`${isNoticed ? "noticed" : "NOT NOTICED"}: ${fault}`);
  console.log(`  ${test}: ${title}`);
  console.log(`  with the fix: ${withFix.status}; without it: ${withoutFix.status} ${withoutFix.message}`);
  if (withFix.status !== "passed") console.log(`  ${withFix.message}`);
  return isNoticed;
}

interface TestOutcome {
  readonly status: "passed" | "failed" | "not run";
  /** The first line of the first failure. */
  readonly message: string;
}

interface TestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** A file that cannot be loaded runs no test, so a mistake in a replacement is not taken for a failed test. */
async function runTest({ test, title }: FixedFault, folder: string, stop: AbortSignal): Promise<TestOutcome> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  // Vitest fills in the placeholders of a table.
  const pattern = title.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(/%[a-z]/g, ".*");
  const args = ["run", test, "-t", pattern, "--reporter=json", `--outputFile=${report}`];
  await new Promise((done) => {
    const child = execFile(process.execPath, ["node_modules/vitest/vitest.mjs", ...args], { cwd: folder }, done);
    stop.addEventListener("abort", () => child.kill());
  });
  stop.throwIfAborted();
  if (!existsSync(report)) return { status: "not run", message: "Vitest wrote no report" };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as TestReport;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failure = results.find(({ status }) => status === "failed");
  if (failure) return { status: "failed", message: failure.failureMessages[0]?.split("\n")[0] ?? "" };
  const hasPassed = results.some(({ status }) => status === "passed");
  return hasPassed
    ? { status: "passed", message: "" }
    : { status: "not run", message: testResults.map(({ message }) => message).join("\n") };
}

if (import.meta.main) {
  try {
    await mutateFaults(resolve(import.meta.dirname, ".."), process.argv.slice(2));
  } catch (error) {
    console.error(`mutate:faults: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  }
}
