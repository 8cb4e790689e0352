/** What the transcript page knows: where the pages of the branch lie, those that are before one's eyes, and where one stands. Plain data. */

import type { Block } from "../../state/block.ts";
import type { LineInput } from "../../widgets/line-input.ts";

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
