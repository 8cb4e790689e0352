/** The most memory that a process and all it has started held at one moment. */

import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 10;

/** Looks until `stop` is called, which says how many bytes it was. */
export function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, treeBytes(pid, ""));
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}

function treeBytes(pid: number, parentCommand: string): number {
  const command = text(pid, "cmdline");
  // Not yet become another program, it shows its parent's memory as its own.
  if (command === parentCommand) return 0;
  const resident = Number(/VmRSS:\s+(\d+)/.exec(text(pid, "status"))?.[1] ?? 0) * 1_024;
  const children = text(pid, `task/${pid}/children`).split(" ").map(Number).filter(Boolean);
  return children.reduce((sum, child) => sum + treeBytes(child, command), resident);
}

function text(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended since it was seen.
    return "";
  }
}
