/** Of a long talk what a glance needs: the last exchange or two, and of a long answer its end. Pure. */

import type { Entry } from "@pith/context";
import type { Answered, Block } from "./block.ts";
import { foldEntry } from "./folding/fold-entry.ts";
import { nothingShown } from "./screen-state.ts";

export interface Glance {
  readonly blocks: readonly Block[];
  /** Entries before them. */
  readonly left: number;
}

export function glance(entries: readonly Entry[]): Glance {
  const from = startOf(entries);
  const { blocks } = entries.slice(from).reduce(foldEntry, nothingShown);
  return { blocks: bounded(blocks), left: entries.slice(0, from).filter(isTold).length };
}

/** The words of a person before the last ones, where all since then is little enough. */
function startOf(entries: readonly Entry[]): number {
  const last = entries.findLastIndex(isSaid);
  if (last < 0) return Math.max(0, entries.length - FEW);
  const before = entries.slice(0, last).findLastIndex(isSaid);
  return before >= 0 && entries.length - before <= FEW ? before : last;
}

/** Entries. */
const FEW = 12;

/** Whether somebody said it. */
export function isSaid(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

/** Whether it can be seen in the transcript. */
export function isTold(entry: Entry): boolean {
  if (entry.type === "message") return entry.message.role !== "system";
  return entry.type === "compaction" || entry.type === "branch_summary";
}

/** What is too long begins with the words it answers, and ends as it ended. */
function bounded(blocks: readonly Block[]): readonly Block[] {
  const cut = blocks.map((block) => (block.kind === "answered" ? withoutBeginning(block) : block));
  if (cut.length <= MOST_BLOCKS) return cut;
  const [first, ...rest] = cut;
  return first ? [first, ...rest.slice(-MOST_BLOCKS + 1)] : [];
}

const MOST_BLOCKS = 12;

/** From a paragraph on, so that it is still read as it was written. */
function withoutBeginning(answer: Answered): Answered {
  const from = answer.text.length - MOST_LETTERS;
  if (from <= 0) return answer;
  const paragraph = answer.text.indexOf("\n\n", from);
  return paragraph < 0 ? answer : { ...answer, printed: paragraph + 2 };
}

const MOST_LETTERS = 2_000;
