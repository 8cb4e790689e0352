/** Defines the transcript page's state, the source it reads from, and the steps from block to block over loaded pages. */

import type { Block } from "../../state/blocks.ts";
import type { LineInput } from "../widgets.ts";

export interface TranscriptState {
  /** Of the whole branch, the newest first: each is read when it is wanted. */
  readonly marks: readonly PageMark[];
  /** Whether they reach back to the first entry. */
  readonly isWhole: boolean;
  /** By its number among the marks. */
  readonly loaded: ReadonlyMap<number, readonly Block[]>;
  /** The block one stands on. */
  readonly at: Spot;
  /** The first row that is seen. */
  readonly top: Top;
  /** Whether one stands at the end, and goes along with what is written. */
  readonly isFollowing: boolean;
  /** Ids of blocks that were opened. */
  readonly opened: ReadonlySet<string>;
  /** Where to stand once it is read. */
  readonly goal: Goal | null;
  /** What is being typed to be looked for; null where nothing is. */
  readonly typing: LineInput | null;
  readonly query: string;
  readonly note: string | null;
}

/** A stretch of the branch in which no call is parted from its result. */
export interface PageMark {
  readonly last: string;
  /** Entries. */
  readonly count: number;
}

export interface Spot {
  readonly page: number;
  /** From the beginning of the page. */
  readonly block: number;
}

export interface Top extends Spot {
  /** Of the block's own. */
  readonly row: number;
}

/** `beginning`: the first entry of all, as soon as it is known where it lies. */
export type Goal =
  | { readonly type: "spot"; readonly spot: Spot }
  | { readonly type: "end" }
  | { readonly type: "beginning" };

export const nothingRead: TranscriptState = {
  marks: [],
  isWhole: false,
  loaded: new Map(),
  at: { page: 0, block: 0 },
  top: { page: 0, block: 0, row: 0 },
  isFollowing: true,
  opened: new Set(),
  goal: { type: "end" },
  typing: null,
  query: "",
  note: null,
};

export interface TranscriptSource {
  /** What the session is called. */
  readonly title: string;
  /** From the end to the beginning: tells where the pages lie, and of the first of them what they say; then what is written meanwhile. */
  marks(tell: (told: ToldPages) => void, signal: AbortSignal, grow: (page: GrownPage) => void): Promise<void>;
  read(mark: PageMark): Promise<readonly Block[]>;
}

/** The newest page with what was written since it was read. */
export interface GrownPage {
  readonly mark: PageMark;
  readonly blocks: readonly Block[];
}

export interface ToldPages {
  readonly marks: readonly PageMark[];
  /** Of those of them that were read whole, in their order from the first. */
  readonly pages: readonly (readonly Block[])[];
  /** Whether nothing lies before them. */
  readonly isLast: boolean;
  /** What the last of them says, if it is. */
  readonly beginning?: readonly Block[];
}

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
