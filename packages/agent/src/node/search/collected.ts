/** Hits file by file, until there are as many as were asked for; whoever searches is then stopped. */

import type { Found, GrepHit } from "../../workspace.ts";
import type { Searched } from "./engine.ts";

export interface Collecting {
  readonly signal: AbortSignal;
  readonly most: number;
  readonly around: number;
}

export async function collected(files: AsyncIterable<Searched>, wish: Collecting): Promise<Found<GrepHit>> {
  const found: GrepHit[] = [];
  let count = 0;
  for await (const searched of files) {
    wish.signal.throwIfAborted();
    if (searched.type === "refused") return searched;
    for (const hit of searched.hits) {
      if (!hit.isAround) count += 1;
      if (count > wish.most) return { type: "found", found: withoutBefore(found, wish.around), isAll: false };
      found.push(hit);
    }
  }
  return { type: "found", found, isAll: true };
}

/** What stands before the hit that was one too many goes with it. */
function withoutBefore(found: readonly GrepHit[], around: number): readonly GrepHit[] {
  const last = found.findLast(({ isAround }) => !isAround);
  if (!last) return [];
  const end = found.findLastIndex(({ path, line }) => path === last.path && line <= last.line + around);
  return found.slice(0, end + 1);
}
