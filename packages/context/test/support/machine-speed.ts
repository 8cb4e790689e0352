/** Measures how much slower this machine is now than the reference machine on which the time limits of tests were measured; never below 1. */

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The duration of the two workloads below on the reference machine: CPU time of the first, wall time of the second. */
export const REFERENCE_MS = { cpu: 11, disk: 12 } as const;

/** The factor for work that needs only the CPU. */
export function cpuSlowdown(): number {
  return Math.max(1, bestOfFive(() => measureCpuTime(runCpuWork)) / REFERENCE_MS.cpu);
}

/** The factor for work that waits for the disk or for other processes. */
export function diskSlowdown(): number {
  const cpu = bestOfFive(() => measureWallTime(runCpuWork)) / REFERENCE_MS.cpu;
  const disk = bestOfFive(() => measureWallTime(runDiskWork)) / REFERENCE_MS.disk;
  return Math.max(1, cpu, disk);
}

/** CPU time in milliseconds, of all threads of this process. Wall time would include the work of other processes. */
export function measureCpuTime(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function measureWallTime(run: () => unknown): number {
  const before = performance.now();
  run();
  return performance.now() - before;
}

// The best of five, because a single disturbance says nothing about the machine.
function bestOfFive(measure: () => number): number {
  return Math.min(...Array.from({ length: 5 }, measure));
}

const lines = Array.from({ length: 1_000 }, (_, at) =>
  JSON.stringify({
    type: "message",
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    message: { role: "user", content: "a few words, and some code: const a = f(b[0]);\n".repeat(8), timestamp: at },
  }),
);

/** A workload like that of a session: parses lines, indexes them by id, scans and serializes texts. */
export function runCpuWork(): number {
  const entries = new Map<string, unknown>();
  let count = 0;
  for (const line of lines) {
    const entry = JSON.parse(line) as { readonly id: string; readonly message: { readonly content: string } };
    entries.set(entry.id, entry);
    count += entry.message.content.replaceAll("words", entry.id).split(/[\s,]+/).length + JSON.stringify(entry).length;
    for (let index = 0; index < line.length; index++) if (line.charCodeAt(index) === 0x22) count++;
  }
  return count + entries.size;
}

function runDiskWork(): void {
  const folder = mkdtempSync(join(tmpdir(), "pith-slowness-"));
  const file = openSync(join(folder, "lines"), "w");
  for (const line of lines.slice(0, 5)) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
}
