/** From block to block over the pages that are read. Pure. */

import type { Block } from "../../state/block.ts";
import type { Spot, TranscriptState } from "./transcript-state.ts";

type Read = Pick<TranscriptState, "loaded">;

export function blockAt({ loaded }: Read, { page, block }: Spot): Block | undefined {
  return loaded.get(page)?.[block];
}

/** The one that was said or done right after it; null where that is not read, or there is none. */
export function newer({ loaded }: Read, { page, block }: Spot): Spot | null {
  if (block + 1 < (loaded.get(page)?.length ?? 0)) return { page, block: block + 1 };
  for (let next = page - 1; next >= 0; next--) {
    const blocks = loaded.get(next);
    if (!blocks) return null;
    if (blocks.length > 0) return { page: next, block: 0 };
  }
  return null;
}

/** The one right before it. */
export function older({ loaded }: Read, { page, block }: Spot): Spot | null {
  if (block > 0) return { page, block: block - 1 };
  for (let next = page + 1; loaded.has(next); next++) {
    const count = loaded.get(next)?.length ?? 0;
    if (count > 0) return { page: next, block: count - 1 };
  }
  return null;
}

/** Pages are counted from the end. */
export function isOlder(one: Spot, other: Spot): boolean {
  return one.page === other.page ? one.block < other.block : one.page > other.page;
}

export function newest({ loaded }: Read): Spot {
  for (let page = 0; loaded.has(page); page++) {
    const count = loaded.get(page)?.length ?? 0;
    if (count > 0) return { page, block: count - 1 };
  }
  return { page: 0, block: 0 };
}

/** Those around where one stands, so that a step further is always read. */
export function wantedPages({
  loaded,
  marks,
  at,
}: Pick<TranscriptState, "loaded" | "marks" | "at">): readonly number[] {
  const around = [at.page, at.page - 1, at.page + 1, at.page + 2];
  return around.filter((page) => page >= 0 && page < marks.length && !loaded.has(page));
}

/** What lies far away is read again when it is wanted. */
export function forgotten({ loaded, at }: Pick<TranscriptState, "loaded" | "at">): TranscriptState["loaded"] {
  return new Map([...loaded].filter(([page]) => Math.abs(page - at.page) <= FAR));
}

const FAR = 6;
