/** The rows of one block of the transcript: drawn once for a width, folded or opened, and kept as long as the block is. */

import { drawBlock } from "../../drawing/draw-block.ts";
import type { Theme } from "../../drawing/theme.ts";
import type { Block } from "../../state/block.ts";
import type { Spot, TranscriptState } from "./transcript-state.ts";
import { blockAt } from "./walking.ts";

/** What the page has for blocks. */
export interface Rows {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

export function linesAt(state: TranscriptState, spot: Spot, rows: Rows): readonly string[] {
  const block = blockAt(state, spot);
  return block ? drawn(block, { ...rows, isOpened: state.opened.has(block.id) }) : [];
}

export function rowsOf(state: TranscriptState, spot: Spot, rows: Rows): number {
  return linesAt(state, spot, rows).length;
}

interface Drawing extends Pick<Rows, "width" | "theme"> {
  readonly isOpened: boolean;
}

function drawn(block: Block, { width, theme, isOpened }: Drawing): readonly string[] {
  const key = `${width} ${theme.name} ${isOpened}`;
  const kept = DRAWN.get(block);
  if (kept?.key === key) return kept.lines;
  // A column for the mark of where one stands.
  const lines = drawBlock(block, { width: width - 1, theme, isUnfolded: isOpened, now: 0 });
  DRAWN.set(block, { key, lines });
  return lines;
}

// Only a shortcut: drawing Markdown anew for every key would be felt.
const DRAWN = new WeakMap<Block, { readonly key: string; readonly lines: readonly string[] }>();
