/** What was listed of a folder, kept in one file so that the next look needs no more than the state of each file. A copy: it may be lost. */

import { join } from "node:path";
import { appendAll, type FileStat, type Files } from "../../files/files.ts";
import { orNull } from "../../files/unavailable.ts";
import { membersIn } from "../placing/json-file.ts";
import type { ItemFromFile } from "./list-item.ts";

export interface Listed {
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
  readonly item: ItemFromFile;
  /** Only what stays true as long as the file is the same is kept. */
  readonly lasting: true;
}

/** By the name of the file; nothing of what is foreign, torn or of another version. */
export function listedBefore(folder: string, files: Files): ReadonlyMap<string, Listed> {
  const { version, listed } = membersIn(cachePath(folder), files);
  if (version !== VERSION || typeof listed !== "object" || listed === null) return new Map();
  return new Map(Object.entries(listed).filter((entry): entry is [string, Listed] => isListed(entry[1])));
}

/** The same for these names, and for so many that were written last: thousands of others are not looked at. */
export function lastListed(folder: string, files: Files, { names, most }: LastWish): ReadonlyMap<string, Listed> {
  const { version, listed } = membersIn(cachePath(folder), files);
  if (version !== VERSION || typeof listed !== "object" || listed === null) return new Map();
  const all = listed as Readonly<Record<string, unknown>>;
  const last = Object.keys(all).toSorted((one, other) => timeIn(all[other]) - timeIn(all[one]));
  const wanted = new Set([...names, ...last.slice(0, most)]);
  const known = [...wanted].map((name) => [name, all[name]] as const);
  return new Map(known.filter((entry): entry is [string, Listed] => isListed(entry[1])));
}

interface LastWish {
  readonly names: readonly string[];
  readonly most: number;
}

function timeIn(listed: unknown): number {
  const { modified } = Object(listed) as { readonly modified?: unknown };
  return typeof modified === "number" ? modified : 0;
}

/** Whether the file is still the one that was listed. */
export function isStill({ identity, size, modified }: Listed, stat: FileStat): boolean {
  return identity === stat.identity && size === stat.size && modified === stat.modified;
}

/** Two processes may write it at once: the later one counts, and each is whole. */
export function keepListed(
  folder: string,
  listed: ReadonlyMap<string, Listed>,
  { files, nonce }: { readonly files: Files; readonly nonce: () => string },
): void {
  // A list can always be made again, so a disk that will not have it is no reason to stop.
  orNull(() => {
    files.makeFolder(join(folder, ".pith"));
    const fresh = `${cachePath(folder)}.${nonce()}.new`;
    const file = files.create(fresh);
    try {
      const bytes = Buffer.from(JSON.stringify({ version: VERSION, listed: Object.fromEntries(listed) }));
      appendAll(file, bytes);
    } catch (error) {
      orNull(() => files.remove(fresh));
      throw error;
    } finally {
      file.close();
    }
    files.rename(fresh, cachePath(folder));
  });
}

function isListed(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { identity, size, modified, item, lasting } = value as Partial<Record<keyof Listed, unknown>>;
  const isKey = typeof identity === "string" && typeof size === "number" && typeof modified === "number";
  return isKey && lasting === true && isItem(item);
}

function isItem(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { id, cwd, name, created, firstMessage, parentSession, damaged } = value as Partial<
    Record<keyof ItemFromFile, unknown>
  >;
  const maybe = [name, damaged].every((text) => text === undefined || isShown(text));
  const paths = typeof cwd === "string" && (parentSession === undefined || typeof parentSession === "string");
  return maybe && paths && isShown(id) && isShown(created) && isShown(firstMessage);
}

// Whoever wrote this file: nothing of it reaches a screen that would not have passed plain-text.ts.
function isShown(text: unknown): boolean {
  if (typeof text !== "string") return false;
  // Mostly ASCII, and that is told apart ten times faster.
  return !/[^ -~]/.test(text) || !/[\p{Cc}\p{Cf}\p{Co}]/u.test(text);
}

const cachePath = (folder: string): string => join(folder, ".pith", "list.json");
const VERSION = 1;
