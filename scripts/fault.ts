/** A fault or a question that a check found: where it is, and what to do about it. */

export interface Fault {
  readonly path: string;
  readonly line: number;
  readonly sentence: string;
}

export function formatFault({ path, line, sentence }: Fault): string {
  return `${path}:${line}  ${sentence}`;
}

export function sortFaults(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

/** `1 fault`, `2 faults`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
