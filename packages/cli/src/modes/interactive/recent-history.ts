/** Shows the last messages of a branch when a session opens, read from the log however the context was compacted. */

import type { Entry } from "@pith/context";
import { wayTo } from "../../sessions/tree-lines.ts";
import { keyHint, readKeymap } from "../../settings/keymap-text.ts";
import { counted } from "../../text/format.ts";
import { highlighterLoaded } from "./render/code.ts";
import type { Talking } from "./screen-context.ts";
import type { Answered, Block } from "./state/blocks.ts";
import { foldEntry } from "./state/reduce-entry.ts";
import { nothingShown } from "./state/screen-state.ts";

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

export async function past({ ready, screen }: Talking): Promise<void> {
  const { session } = ready.built.agent;
  const { entries, isAll } = await newestOf(session);
  // Only what may be shown: a branch that was never compacted is in the window as a whole.
  const { blocks, left } = glance(session.redact(entries.slice(-NEWEST)));
  // What is printed before its inks are there stays without them.
  if (blocks.some((block) => block.kind === "answered" && block.text.includes("```"))) await highlighterLoaded();
  const earlier = earlierTold(left + entries.slice(0, -NEWEST).filter(isTold).length, isAll);
  if (earlier !== null) screen.tell(`${earlier}; ${await wayToAll({ ready, screen })}`);
  screen.change((state) => ({ ...state, blocks: [...state.blocks, ...blocks] }));
}

interface Newest {
  readonly entries: readonly Entry[];
  readonly isAll: boolean;
}

/** What is loaded already, unless nobody speaks in it: right behind a compaction that may be so. */
async function newestOf({
  branch: window,
  leaf,
  store,
}: Talking["ready"]["built"]["agent"]["session"]): Promise<Newest> {
  const isEnough = window.reachesRoot || window.entries.some(isSaid);
  if (isEnough) return { entries: window.entries, isAll: window.reachesRoot };
  const entries = await wayTo(leaf, store, NEWEST);
  return { entries, isAll: (entries[0]?.parentId ?? null) === null };
}

const NEWEST = 200;

function earlierTold(left: number, isAll: boolean): string | null {
  if (left === 0 && isAll) return null;
  return `… ${isAll ? counted(left, "earlier entry", "earlier entries") : "earlier entries"}`;
}

/** It is printed for good, so that the keymap must be known by now. */
async function wayToAll({ ready, screen }: Pick<Talking, "ready" | "screen">): Promise<string> {
  const { keymap } = await readKeymap(ready.place.home);
  const key = screen.hasPages ? keyHint("transcript", keymap) : null;
  return `${key ?? "/transcript"} shows all`;
}
