/** Shows the last messages of a branch when a session opens, also those before a compaction. */

import type { Entry, Session } from "@pith/context";
import { formatCount } from "@pith/host/text/format";
import { isUserMessage, readBranch } from "../../sessions/tree-lines.ts";
import { keyHint, readKeymap } from "../../settings/keymap.ts";
import { loadHighlighter } from "./render/markdown.ts";
import type { SessionScreen } from "./screen-context.ts";
import type { AssistantBlock, Block } from "./state/blocks.ts";
import { reduceEntry } from "./state/reduce-entry.ts";
import { initialScreenState } from "./state/screen-state.ts";

export interface RecentHistory {
  readonly blocks: readonly Block[];
  /** The number of visible entries before the blocks. */
  readonly earlierCount: number;
}

export function buildRecentHistory(entries: readonly Entry[]): RecentHistory {
  const start = findStart(entries);
  const { blocks } = entries.slice(start).reduce(reduceEntry, initialScreenState);
  return { blocks: limitBlocks(blocks), earlierCount: entries.slice(0, start).filter(isVisibleEntry).length };
}

/** Starts at the user message before the last one, or at the last one if there are too many entries since. */
function findStart(entries: readonly Entry[]): number {
  const lastMessage = entries.findLastIndex(isUserMessage);
  if (lastMessage < 0) return Math.max(0, entries.length - MAX_SHOWN_ENTRIES);
  const previousMessage = entries.slice(0, lastMessage).findLastIndex(isUserMessage);
  return previousMessage >= 0 && entries.length - previousMessage <= MAX_SHOWN_ENTRIES ? previousMessage : lastMessage;
}

const MAX_SHOWN_ENTRIES = 12;

/** Whether the transcript shows the entry. */
function isVisibleEntry(entry: Entry): boolean {
  if (entry.type === "message") return entry.message.role !== "system";
  return entry.type === "compaction" || entry.type === "branch_summary";
}

/** If there are too many blocks, keeps the first one, which is the user's message, and the last ones. */
function limitBlocks(blocks: readonly Block[]): readonly Block[] {
  const shortBlocks = blocks.map((block) => (block.kind === "assistant" ? trimBeginning(block) : block));
  if (shortBlocks.length <= MAX_BLOCKS) return shortBlocks;
  const [first, ...rest] = shortBlocks;
  return first ? [first, ...rest.slice(-MAX_BLOCKS + 1)] : [];
}

const MAX_BLOCKS = 12;

/** Starts at a paragraph, so that the Markdown is still drawn correctly. */
function trimBeginning(block: AssistantBlock): AssistantBlock {
  const start = block.text.length - MAX_TEXT_CHARS;
  if (start <= 0) return block;
  const paragraph = block.text.indexOf("\n\n", start);
  return paragraph < 0 ? block : { ...block, printed: paragraph + 2 };
}

const MAX_TEXT_CHARS = 2_000;

export async function showRecentHistory({ app, screen }: SessionScreen<"agent" | "home">): Promise<void> {
  const { session } = app.agent;
  const { entries, isComplete } = await readNewestEntries(session);
  // Redacts only the entries that may be shown: a branch that was never compacted is loaded completely.
  const { blocks, earlierCount } = buildRecentHistory(session.redact(entries.slice(-MAX_READ_ENTRIES)));
  // A printed block is not drawn again, so the highlighter must be loaded before.
  if (blocks.some((block) => block.kind === "assistant" && block.text.includes("```"))) await loadHighlighter();
  const notice = formatEarlierNotice(
    earlierCount + entries.slice(0, -MAX_READ_ENTRIES).filter(isVisibleEntry).length,
    isComplete,
  );
  if (notice !== null) screen.showNote(`${notice}; ${await formatTranscriptHint({ app, screen })}`);
  screen.update((state) => ({ ...state, blocks: [...state.blocks, ...blocks] }));
}

interface NewestEntries {
  readonly entries: readonly Entry[];
  readonly isComplete: boolean;
}

/** Uses the loaded entries, unless they contain no user message, which can happen right after a compaction. */
async function readNewestEntries({ branch, leaf, store }: Session): Promise<NewestEntries> {
  const isEnough = branch.reachesRoot || branch.entries.some(isUserMessage);
  if (isEnough) return { entries: branch.entries, isComplete: branch.reachesRoot };
  const entries = await readBranch(leaf, store, MAX_READ_ENTRIES);
  return { entries, isComplete: (entries[0]?.parentId ?? null) === null };
}

const MAX_READ_ENTRIES = 200;

function formatEarlierNotice(count: number, isComplete: boolean): string | null {
  if (count === 0 && isComplete) return null;
  return `… ${isComplete ? formatCount(count, "earlier entry", "earlier entries") : "earlier entries"}`;
}

/** Reads the keymap itself, because the hint is printed once and cannot be redrawn when the keymap is loaded. */
async function formatTranscriptHint({ app, screen }: SessionScreen<"home">): Promise<string> {
  const { keymap } = await readKeymap(app.home);
  const key = screen.hasPages ? keyHint("transcript", keymap) : null;
  return `${key ?? "/transcript"} shows all`;
}
