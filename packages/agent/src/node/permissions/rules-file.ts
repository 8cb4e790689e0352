/** The file of remembered rules, believed only where nobody else could have written it. */

import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../disk/error-code.ts";

/** What stands in it; fields that are not known stay as they are. */
export interface Kept {
  readonly version: 1;
  /** Texts of rules, by the absolute path of the workspace. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
}

export type ReadRules =
  | { readonly type: "read"; readonly kept: Kept }
  | { readonly type: "damaged" | "unbelieved"; readonly why: string };

/** No file is one without rules. */
export async function readRulesFile(path: string): Promise<ReadRules> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOpen(file, path).finally(() => file.close());
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { type: "read", kept: { version: 1, projects: {} } };
    if (codeOf(error) === "ELOOP") return unbelieved(`${path} is a link`);
    throw error;
  }
}

/** The name it bears from now on. */
export async function setAside(path: string): Promise<string> {
  const aside = `${path}.damaged-${randomUUID().slice(0, 8)}`;
  await rename(path, aside);
  return aside;
}

async function readOpen(file: FileHandle, path: string): Promise<ReadRules> {
  const stats = await file.stat();
  if (!stats.isFile()) return unbelieved(`${path} is no regular file`);
  if (isOthers(stats)) return unbelieved(`${path} belongs to somebody else or may be written by others (chmod 600 it)`);
  const folder = dirname(path);
  // Who may write the folder may put another file in its place.
  if (isOthers(await lstat(folder))) return unbelieved(`${folder} may be written by others (chmod 700 it)`);
  if (stats.size > MOST_BYTES) return unbelieved(`${path} is too long for a file of rules`);
  return keptIn(await file.readFile("utf8"), path);
}

const MOST_BYTES = 4 * 1024 * 1024;
const OTHERS_WRITE = 0o022;

function isOthers({ uid, mode }: Stats): boolean {
  const self = process.geteuid?.();
  // Where users have no number, the mode says nothing either.
  return self !== undefined && (uid !== self || (mode & OTHERS_WRITE) !== 0);
}

function keptIn(text: string, path: string): ReadRules {
  const value = parsed(text);
  if (!isRecord(value) || !isRecord(value.projects) || typeof value.version !== "number")
    return { type: "damaged", why: `${path} is damaged` };
  if (value.version !== 1) return unbelieved(`${path} was written by a newer version`);
  if (!Object.values(value.projects).every(isTexts)) return { type: "damaged", why: `${path} is damaged` };
  return { type: "read", kept: value as unknown as Kept };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it is, it is no object, and is named as damaged.
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function unbelieved(why: string): ReadRules {
  return { type: "unbelieved", why };
}
