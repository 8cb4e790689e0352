/** A file outside the log to which workers write what they do: the runs of tools, that they live, their deaths and their errors. */

import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** One line. Times are those of the clock of the machine, which PostgreSQL has too. */
export type JournalLine =
  | { readonly type: "tool"; readonly call: string; readonly worker: string }
  /** It has given its sessions back. */
  | { readonly type: "ended"; readonly worker: string }
  /** Right before it killed itself. */
  | { readonly type: "died"; readonly worker: string; readonly at: number }
  /** It reached PostgreSQL, without the help of what is tested. */
  | { readonly type: "alive"; readonly worker: string; readonly at: number }
  | { readonly type: "error"; readonly worker: string; readonly at: number; readonly why: string };

/** Returns a function that appends a line, which is on the disk when it returns. Several processes may write to one file. */
export function openJournal(path: string): (line: JournalLine) => void {
  const file = openSync(path, "a");
  return (line) => {
    writeSync(file, `${JSON.stringify(line)}\n`);
    if (line.type !== "alive") fsyncSync(file);
  };
}

export function readJournal(path: string): readonly JournalLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as JournalLine);
}
