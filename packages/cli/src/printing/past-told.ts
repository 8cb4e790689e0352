/** What a session has cost since its beginning, for whoever goes on with it. */

import { realFiles, totalsOf } from "@pith/context/node";
import { usageTold } from "./tally.ts";

/** Null where nothing is kept, or counting would make somebody wait. */
export async function pastTold(path: string | null): Promise<string | null> {
  if (path === null) return null;
  const size = realFiles.stat(path)?.size ?? 0;
  if (size > MOST_BYTES) return null;
  const counted = await totalsOf(path);
  return counted.type === "counted" ? `in all ${usageTold(counted.totals.usage)}` : null;
}

/** Read in a fraction of a second. */
const MOST_BYTES = 16 * 1024 * 1024;
