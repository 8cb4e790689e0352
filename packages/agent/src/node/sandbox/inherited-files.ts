/** Files that were open before this program began: unless they are closed, a command can use them, whatever it may open itself. Node sees to those with low numbers only. */

import { readdirSync, readFileSync } from "node:fs";

/** The flag of a file that is closed when another program begins, as `/proc` writes it. */
const CLOSED_BY_ITSELF = 0o2000000;

/** Their numbers, but for the three that everybody has. */
export function inheritedFiles(): readonly number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > 2 && isPassedOn(file));
}

function isPassedOn(file: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSED_BY_ITSELF) === 0;
  } catch {
    // The one by which the list was read.
    return false;
  }
}
