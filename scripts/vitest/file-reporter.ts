/** A Vitest reporter: prints what each test file took, longest first, and keeps the times for `pnpm test:changed`. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import type { FileMeasure } from "./measure-file.ts";

export const root: string = join(import.meta.dirname, "../..");
const CACHE = join(root, "node_modules/.cache/test-times.json");

export interface FileReport extends FileMeasure {
  readonly file: string;
  readonly tests: number;
}

export class FileReporter implements Reporter {
  readonly #isPrinted: boolean;

  constructor({ isPrinted = false }: { readonly isPrinted?: boolean } = {}) {
    this.#isPrinted = isPrinted;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const reports = modules.map(toReport).sort((a, b) => b.wall - a.wall);
    saveTimes(reports);
    if (!this.#isPrinted) return;
    console.log("\n  wall s   CPU s  waiting  checks  test file");
    for (const report of reports) console.log(formatRow(report));
    console.log(`${formatRow(addUp(reports))}\n`);
  }
}

function toReport(module: TestModule): FileReport {
  const measure = module.meta().measure ?? { wall: 0, cpu: 0, checks: 0 };
  return { file: relative(root, module.moduleId), tests: [...module.children.allTests()].length, ...measure };
}

function addUp(reports: readonly FileReport[]): FileReport {
  const sum = (name: "tests" | "wall" | "cpu" | "checks"): number =>
    reports.reduce((total, report) => total + report[name], 0);
  const tests = sum("tests");
  const file = `${reports.length} files, ${tests} tests, side by side`;
  return { file, tests, wall: sum("wall"), cpu: sum("cpu"), checks: sum("checks") };
}

function formatRow({ file, wall, cpu, checks }: FileReport): string {
  const [wallText, cpuText, waiting] = [wall, cpu, Math.max(0, wall - cpu)].map((ms) => (ms / 1000).toFixed(1));
  return `${wallText?.padStart(8)}${cpuText?.padStart(8)}${waiting?.padStart(9)}${String(checks).padStart(8)}  ${file}`;
}

/** The seconds that each file took when it last ran. Files that never ran are missing. */
export function readTimes(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(CACHE, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}

function saveTimes(reports: readonly FileReport[]): void {
  const times = Object.fromEntries(reports.map(({ file, wall }) => [file, Math.round(wall / 100) / 10]));
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ ...readTimes(), ...times }));
}
