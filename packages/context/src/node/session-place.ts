/** Reads what the place of a session file says about it: id and time from its name, the directory from its folder. */

import { basename, dirname, isAbsolute, join } from "node:path";
import type { Header } from "../entry.ts";
import { CURRENT_VERSION } from "../format/session-file.ts";
import { type Files, ignoreDiskErrors } from "./files.ts";

/** A header for a file whose own cannot be read: the same one every time, and nothing of it from the damaged line. */
export function headerFromPath(
  path: string,
  { files, ours }: { readonly files: Files; readonly ours: boolean },
): Header {
  const name = basename(path);
  return {
    type: "session",
    version: CURRENT_VERSION,
    id: sessionIdFromFileName(name) ?? basename(path, ".jsonl"),
    timestamp: sessionTimeFromFileName(name) ?? "",
    cwd: readFolderCwd(dirname(path), files) ?? "",
    ...(ours && { pith: { format: 1 as const } }),
  };
}

/** The id that a file's name tells of; null for a name of another make. */
export function sessionIdFromFileName(name: string): string | null {
  return SESSION_FILE_NAME_PATTERN.exec(name)?.[1] ?? null;
}

/** When the session began, as the file's name tells it; null for a name of another make. */
export function sessionTimeFromFileName(name: string): string | null {
  const [, day, hour, minute, second, milliseconds] = SESSION_FILE_TIME_PATTERN.exec(name) ?? [];
  return day === undefined ? null : `${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
}

const SESSION_FILE_NAME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$/s;
const SESSION_FILE_TIME_PATTERN = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_/;

/** The directory that a folder stands for; null for a folder that does not say, as pi's. */
export function readFolderCwd(folder: string, files: Files): string | null {
  const { cwd } = readJsonObject(folderNotePath(folder), files);
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : null;
}

export const folderNotePath = (folder: string): string => join(folder, "folder.json");

/** Undefined for a file that is missing, torn or not JSON. */
export function readJsonFile(path: string, files: Files): unknown {
  const bytes = ignoreDiskErrors(() => {
    if (files.stat(path)?.kind !== "file") return null;
    const file = files.open(path, "read");
    try {
      const buffer = Buffer.allocUnsafe(Math.min(file.stat().size, MAX_JSON_BYTES));
      return buffer.subarray(0, file.read(buffer, 0));
    } finally {
      file.close();
    }
  });
  return bytes === null ? undefined : tryParseJson(bytes.toString("utf8"));
}

/** Its members, whatever they are; none where it is no object. */
export function readJsonObject(path: string, files: Files): Readonly<Record<string, unknown>> {
  const value = readJsonFile(path, files);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is an answer here: the file is not ours, or was cut.
    return undefined;
  }
}

const MAX_JSON_BYTES = 64 * 1024 * 1024;
