/** What a search is pointed at: looked at first, so that what is not there or is closed is said, and not found empty. */

import { constants } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import { codeOf, refusal } from "../files/disk-refusal.ts";
import { namesNear } from "../files/near-names.ts";
import type { Place } from "../files/place.ts";

export type Target =
  | { readonly type: "file"; readonly bytes: number }
  | { readonly type: "folder" }
  | { readonly type: "missing" | "refused"; readonly message: string };

export async function targetOf({ path, shown }: Place): Promise<Target> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) {
      await (await opendir(path)).close();
      return { type: "folder" };
    }
    if (!stats.isFile()) return { type: "refused", message: `${shown} is no regular file` };
    await (await open(path, constants.O_RDONLY | constants.O_NONBLOCK)).close();
    return { type: "file", bytes: stats.size };
  } catch (error) {
    return await absent({ path, shown }, error);
  }
}

/** The same where only a folder will do. */
export async function folderAt(place: Place): Promise<Exclude<Target, { type: "file" }>> {
  const target = await targetOf(place);
  return target.type === "file" ? { type: "refused", message: `${place.shown} is a file, not a folder` } : target;
}

async function absent({ path, shown }: Place, error: unknown): Promise<Target> {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return { type: "missing", message: `${shown} is not there${await namesNear(path)}` };
  }
  return { type: "refused", message: refusal(error, { act: "read", shown }) };
}
