/** Which blocks stand close to the one above them: calls and thoughts in a row are one piece of work. Pure. */

import type { Block } from "./block.ts";

/** `above` is what stands over the first of them. The same list where nothing changes. */
export function spaced(blocks: readonly Block[], above: Block["kind"] | null): readonly Block[] {
  let isChanged = false;
  let before = above;
  const all = blocks.map((block): Block => {
    const isClose = before !== null && isWork(block.kind) && isWork(before);
    if (!isGhost(block)) before = block.kind;
    if (isClose === (block.isClose ?? false)) return block;
    isChanged = true;
    const { isClose: _, ...rest } = block;
    return isClose ? { ...rest, isClose } : rest;
  });
  return isChanged ? all : blocks;
}

function isWork(kind: Block["kind"]): boolean {
  return kind === "called" || kind === "thought";
}

function isGhost(block: Block): boolean {
  return block.kind === "thought" && block.isPrinted === true;
}
