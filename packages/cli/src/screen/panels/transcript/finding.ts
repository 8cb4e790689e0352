/** Looking for words in a transcript: from where one stands towards what is older or newer, and round again. */

import type { Block } from "../../state/block.ts";
import type { TranscriptSource } from "./transcript-source.ts";
import type { Spot, TranscriptState } from "./transcript-state.ts";

export interface FindWish {
  readonly query: string;
  readonly towards: "older" | "newer";
  readonly signal: AbortSignal;
}

export interface FoundBlock {
  readonly spot: Spot;
  /** Of its page. */
  readonly blocks: readonly Block[];
}

/** Null where it stands nowhere; the block one stands on is the last that is looked at. */
export async function foundFrom(
  { marks, loaded, at }: TranscriptState,
  { query, towards, signal }: FindWish,
  source: TranscriptSource,
): Promise<FoundBlock | null> {
  const step = towards === "older" ? 1 : -1;
  for (let tried = 0; tried <= marks.length; tried++) {
    const page = (at.page + step * tried + marks.length * 2) % Math.max(1, marks.length);
    const mark = marks[page];
    if (!mark || signal.aborted) return null;
    const blocks = loaded.get(page) ?? (await source.read(mark));
    const block = hitIn(blocks, { query, towards, from: tried === 0 ? at.block : null });
    if (block !== null) return { spot: { page, block }, blocks };
    // Whoever waits for something else gets a turn in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return null;
}

interface HitWish extends Pick<FindWish, "query" | "towards"> {
  /** Beyond this one; null for all. */
  readonly from: number | null;
}

function hitIn(blocks: readonly Block[], { query, towards, from }: HitWish): number | null {
  const wanted = query.toLowerCase();
  const order = blocks
    .map((_, at) => at)
    .filter((at) => from === null || (towards === "older" ? at < from : at > from));
  if (towards === "older") order.reverse();
  return order.find((at) => wordsIn(blocks[at]).toLowerCase().includes(wanted)) ?? null;
}

/** All that can be read in a block once it is opened. */
export function wordsIn(block: Block | undefined): string {
  switch (block?.kind) {
    case undefined:
      return "";
    case "said":
    case "answered":
    case "thought":
    case "pinned":
    case "note":
      return block.text;
    case "called":
      return `${block.tool} ${Object.values(block.arguments).map(wordsOf).join(" ")} ${block.output} ${block.diff ?? ""}`;
    case "shell":
      return `${block.command} ${block.output}`;
    case "compacted":
      return block.entry.summary;
    case "branch-told":
      return block.summary;
  }
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
