/** A small file of our own with one JSON value in it. What is missing, torn or foreign reads as nothing. */

import type { Files } from "../../files/files.ts";
import { orNull } from "../../files/unavailable.ts";

export function jsonIn(path: string, files: Files): unknown {
  const bytes = orNull(() => {
    if (files.stat(path)?.kind !== "file") return null;
    const file = files.open(path, "read");
    try {
      const into = Buffer.allocUnsafe(Math.min(file.stat().size, LONGEST));
      return into.subarray(0, file.read(into, 0));
    } finally {
      file.close();
    }
  });
  return bytes === null ? undefined : parsed(bytes.toString("utf8"));
}

/** Its members, whatever they are; none where it is no object. */
export function membersIn(path: string, files: Files): Readonly<Record<string, unknown>> {
  const value = jsonIn(path, files);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is an answer here: the file is not ours, or was cut.
    return undefined;
  }
}

const LONGEST = 64 * 1024 * 1024;
