/** What a process has taken so far, as the system counts it. */

import { readFileSync } from "node:fs";

const TICKS_A_SECOND = 100;

/** Its own, without what it has started. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may hold anything, blanks included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export function rssMb(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes) * 1_024) / 1e6;
}
