/** What a session did to files, as the results of its tools tell it. What a shell did is not among it. */

import { type Entry, isBlobHash } from "@pith/context";

export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** The hash of what was there; null where no file was. */
  readonly before: string | null;
  readonly after: string;
  /** Of which the bytes could not be kept; absent where both were. */
  readonly unkept?: readonly Side[];
}

export type Side = "before" | "after";

/** In the order of the entries; a file that was changed again comes again. */
export function fileChanges(entries: readonly Entry[]): readonly FileChange[] {
  return entries.flatMap((entry) => {
    const told = toldOfFile(entry);
    return told && isChange(told) ? [{ path: told.path, before: told.before, after: told.after }] : [];
  });
}

/** What the result of a file tool keeps in its details; null for any other entry. */
export function toldOfFile(entry: Entry): Readonly<Record<string, unknown>> | null {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return null;
  const { toolName, isError, details } = entry.message;
  if (isError || !FILE_TOOLS.includes(toolName)) return null;
  return fieldsOf(fieldsOf(details)?.pith);
}

const FILE_TOOLS: readonly string[] = ["read", "write", "edit"];

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}

// It comes from a file, so nothing in it is taken on trust.
function isChange(told: Readonly<Record<string, unknown>>): told is Readonly<Record<string, unknown>> & FileChange {
  const { path, before, after } = told;
  return typeof path === "string" && (before === null || isBlobHash(before)) && isBlobHash(after);
}
