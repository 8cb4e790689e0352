/** The name of a session's file, as pi names its own: when it began, and its id. */

export function fileName(id: string, began: number): string {
  return `${fileTime(began)}_${id}.jsonl`;
}

/** A time that every disk takes as a part of a name. */
export function fileTime(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

/** The id that a file's name tells of; null for a name of another make. */
export function idInName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

export function isSessionName(name: string): boolean {
  return name.endsWith(".jsonl") && name !== ".jsonl";
}

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$/s;
