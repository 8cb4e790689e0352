/** What of a talk can be said now, since nothing of it will change: where nothing is folded, nothing waits to be opened. Pure. */

import { isDraft, isFinished } from "../../state/block.ts";
import { type Printable, printable } from "../../state/printable.ts";
import type { ScreenState } from "../../state/screen-state.ts";

export function finished(state: ScreenState): Printable {
  const { blocks, rest } = printable(state);
  const open = rest.blocks.findIndex((block) => !isFinished(block) || isDraft(block));
  const more = open === -1 ? rest.blocks : rest.blocks.slice(0, open);
  if (more.length === 0) return { blocks, rest };
  return { blocks: [...blocks, ...more], rest: { ...rest, blocks: rest.blocks.slice(more.length) } };
}
