/** What a search is pointed at: opened first, so that what is not there or is closed is said, and not found empty; and held, so that it stays the same. */

import type { FileHandle } from "node:fs/promises";
import { refusal } from "../disk/disk-refusal.ts";
import { codeOf } from "../disk/error-code.ts";
import { openHeld } from "../disk/open-held.ts";
import { realPath } from "../disk/real-path.ts";
import { namesNear } from "../files/near-names.ts";
import type { Place } from "../files/place.ts";
import type { SearchedFolder } from "./engine.ts";

export interface Target extends SearchedFolder {
  readonly type: "file" | "folder";
  readonly bytes: number;
}

export interface Absent {
  readonly type: "missing" | "refused";
  readonly message: string;
}

export async function withTarget<Outcome>(
  place: Place,
  search: (target: Target) => Promise<Outcome>,
): Promise<Outcome | Absent> {
  const opened = await openTarget(place);
  if (!("file" in opened)) return opened;
  const { file, ...target } = opened;
  try {
    return target.type === "other" ? irregular(place) : await search({ ...target, type: target.type });
  } finally {
    await file.close();
  }
}

/** The same where only a folder will do. */
export async function withFolder<Outcome>(
  place: Place,
  search: (folder: SearchedFolder) => Promise<Outcome>,
): Promise<Outcome | Absent> {
  return await withTarget<Outcome | Absent>(place, async (target) => {
    if (target.type === "folder") return await search(target);
    return { type: "refused", message: `${place.shown} is a file, not a folder` };
  });
}

interface Opened extends Omit<Target, "type"> {
  readonly type: Target["type"] | "other";
  readonly file: FileHandle;
}

async function openTarget(place: Place): Promise<Opened | Absent> {
  try {
    const real = place.real ?? (await realPath(place.path)) ?? place.path;
    const { file, path: at } = await openHeld({ real });
    const stats = await file.stat();
    const type = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    return { type, bytes: stats.size, real, at, file };
  } catch (error) {
    return await absent(place, error);
  }
}

function irregular({ shown }: Place): Absent {
  return { type: "refused", message: `${shown} is no regular file` };
}

async function absent(place: Place, error: unknown): Promise<Absent> {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { type: "missing", message: `${place.shown} is not there${await namesNear(place)}` };
  }
  return { type: "refused", message: refusal(error, { act: "read", shown: place.shown }) };
}
