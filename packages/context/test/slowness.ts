/** How much slower this machine is at the moment than the quiet one on which the limits of time in tests were measured; never below 1. */

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the two yardsticks below took there, in milliseconds: of the processor for thinking, of the wall for writing. */
export const QUIET = { thinking: 11, writing: 12 } as const;

/** For what a processor does. */
export function slowness(): number {
  return Math.max(1, bestOfFive(() => processorTime(think)) / QUIET.thinking);
}

/** For what waits for the disk, or for its turn. */
export function slownessOfWaiting(): number {
  const thinking = bestOfFive(() => wallTime(think)) / QUIET.thinking;
  const writing = bestOfFive(() => wallTime(write)) / QUIET.writing;
  return Math.max(1, thinking, writing);
}

/** Milliseconds of a processor, by all threads of this process: a clock on the wall would count what others do meanwhile. */
export function processorTime(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function wallTime(act: () => unknown): number {
  const before = performance.now();
  act();
  return performance.now() - before;
}

// The best, since a single disturbance says nothing of the machine.
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

/** Work as a session makes it: lines are read and kept by their ids, texts are looked through and written. */
export function think(): number {
  const kept = new Map<string, unknown>();
  let found = 0;
  for (const line of lines) {
    const entry = JSON.parse(line) as { readonly id: string; readonly message: { readonly content: string } };
    kept.set(entry.id, entry);
    found += entry.message.content.replaceAll("words", entry.id).split(/[\s,]+/).length + JSON.stringify(entry).length;
    for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) === 0x22) found++;
  }
  return found + kept.size;
}

function write(): void {
  const folder = mkdtempSync(join(tmpdir(), "pith-slowness-"));
  const file = openSync(join(folder, "lines"), "w");
  for (const line of lines.slice(0, 5)) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
}
