/** Formats and parses session file names, and reads what a file's path says: its id, start time and working directory. */

import { basename, dirname, isAbsolute, join } from "node:path";
import type { Header } from "../entry.ts";
import { CURRENT_VERSION } from "../format/session-file.ts";
import { type Files, readJsonObject } from "./files.ts";

/** Formats the file name as pi does: the start time and the id. */
export function sessionFileName(id: string, startTime: number): string {
  return `${formatFileTime(startTime)}_${id}.jsonl`;
}

/** Formats a time as a part of a file name that is valid on every file system. */
export function formatFileTime(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") && name !== ".jsonl";
}

/** The session id in a file name; null if the name has another format. */
export function sessionIdFromFileName(name: string): string | null {
  return SESSION_FILE_NAME_PATTERN.exec(name)?.[1] ?? null;
}

/** The ISO start time in a file name; null if the name has another format. */
export function sessionTimeFromFileName(name: string): string | null {
  const [, day, hour, minute, second, milliseconds] = SESSION_FILE_TIME_PATTERN.exec(name) ?? [];
  return day === undefined ? null : `${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
}

const SESSION_FILE_NAME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$/s;
const SESSION_FILE_TIME_PATTERN = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_/;

/** Builds a header for a file whose own header is unreadable. The result is always the same and takes nothing from the damaged line. */
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

/** The working directory that a session folder belongs to; null if the folder has no note, as with pi's folders. */
export function readFolderCwd(folder: string, files: Files): string | null {
  const { cwd } = readJsonObject(folderNotePath(folder), files);
  return typeof cwd === "string" && isAbsolute(cwd) ? cwd : null;
}

/** The path of the note in a session folder that names the working directory. */
export const folderNotePath = (folder: string): string => join(folder, "folder.json");
