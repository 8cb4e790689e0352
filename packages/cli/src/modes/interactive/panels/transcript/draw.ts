/** Draws the visible part of the transcript page, and searches the transcript for text. */

import { formatCount } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { alignEnds, fitLine } from "../../render/text.ts";
import type { Block } from "../../state/blocks.ts";
import type { Viewport } from "../panel.ts";
import { renderHints, renderInput } from "../widgets.ts";
import { type BodyArea, getBlockLines, highlightMatches } from "./scroll.ts";
import { type BlockPosition, findNewer, type TranscriptSource, type TranscriptState } from "./state.ts";

export function drawTranscript(state: TranscriptState, viewport: Viewport, title: string): readonly string[] {
  const { theme, width } = viewport;
  const rule = theme.border("─".repeat(width));
  const area = getBodyArea(viewport);
  const body = drawBody(state, area);
  const bodyRows = Array.from({ length: area.height }, (_, index) => body[index] ?? "");
  const lines = [drawHeader(state, viewport, title), rule, ...bodyRows, rule, drawFooter(state, viewport)];
  return lines.map((line) => fitLine(line, width));
}

/** Returns the area between the title and the key hints, without the rules next to them. */
export function getBodyArea({ width, height, theme }: Viewport): BodyArea {
  return { width, theme, height: Math.max(1, height - 4) };
}

function drawBody(state: TranscriptState, area: BodyArea): readonly string[] {
  const lines: string[] = [];
  if (state.pageRefs.length > 0 && !state.loadedPages.has(state.top.page)) return [` ${area.theme.dim("Loading …")}`];
  for (
    let position: BlockPosition | null = state.top;
    position && lines.length < area.height;
    position = findNewer(state, position)
  ) {
    const isSelected = position.page === state.selected.page && position.block === state.selected.block;
    const blockLines = getBlockLines(state, position, area).slice(position === state.top ? state.top.row : 0);
    const mark = (line: string): string => (isSelected && line !== "" ? area.theme.accent("▌") : " ");
    // Only the visible rows: a block may be a thousand pages high.
    const visibleLines = blockLines.slice(0, area.height - lines.length);
    lines.push(...visibleLines.map((line) => `${mark(line)}${highlightMatches(line, state.query, area.theme)}`));
  }
  if (state.isComplete && lines.length === 0) return [` ${area.theme.dim("No messages yet.")}`];
  return lines;
}

function drawHeader(state: TranscriptState, { theme, width }: Viewport, title: string): string {
  const left = ` ${theme.strong("Transcript")}${title === "" ? "" : ` ${theme.dim("·")} ${escapeControls(title)}`}`;
  return alignEnds(left, theme.dim(formatPosition(state)), width);
}

function formatPosition({ pageRefs, selected, isComplete }: TranscriptState): string {
  const total = pageRefs.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const entries = formatCount(total, "entry", "entries");
  if (!isComplete) return `${entries} so far …`;
  const newerCount = pageRefs.slice(0, selected.page).reduce((sum, { entryCount }) => sum + entryCount, 0);
  return pageRefs.length < 2 ? entries : `${Math.round(((total - newerCount) / total) * 100)}% of ${entries}`;
}

function drawFooter({ searchInput, note }: TranscriptState, { theme, width }: Viewport): string {
  if (searchInput) return ` ${theme.accent("/")} ${renderInput(searchInput, theme)}`;
  if (note !== null) return ` ${theme.dim(escapeControls(note))}`;
  return renderHints(HINTS, { width, theme });
}

/** `n` searches upwards, because the page opens at the end. */
const HINTS = ["↑↓ move", "Enter expand", "/ search", "n/N next/previous match", "g start", "G end", "Esc close"];

export interface SearchOptions {
  readonly query: string;
  readonly direction: "older" | "newer";
  readonly signal: AbortSignal;
}

export interface FoundBlock {
  readonly position: BlockPosition;
  /** All blocks of its page. */
  readonly blocks: readonly Block[];
}

/** Returns null if there is no match. The page of the selected block is searched again at the end, including that block. */
export async function findMatch(
  { pageRefs, loadedPages, selected }: TranscriptState,
  { query, direction, signal }: SearchOptions,
  source: TranscriptSource,
): Promise<FoundBlock | null> {
  const step = direction === "older" ? 1 : -1;
  for (let offset = 0; offset <= pageRefs.length; offset++) {
    const page = (selected.page + step * offset + pageRefs.length * 2) % Math.max(1, pageRefs.length);
    const ref = pageRefs[page];
    if (!ref || signal.aborted) return null;
    const blocks = loadedPages.get(page) ?? (await source.readPage(ref));
    const block = findBlock(blocks, { query, direction, start: offset === 0 ? selected.block : null });
    if (block !== null) return { position: { page, block }, blocks };
    // Lets the event loop handle keys between two pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return null;
}

interface BlockSearchOptions extends Pick<SearchOptions, "query" | "direction"> {
  /** Searches only the blocks beyond this one. Null for all blocks. */
  readonly start: number | null;
}

function findBlock(blocks: readonly Block[], { query, direction, start }: BlockSearchOptions): number | null {
  const needle = query.toLowerCase();
  const indices = blocks
    .map((_, index) => index)
    .filter((index) => start === null || (direction === "older" ? index < start : index > start));
  if (direction === "older") indices.reverse();
  return indices.find((index) => getBlockText(blocks[index]).toLowerCase().includes(needle)) ?? null;
}

/** Returns all text that an expanded block shows. */
export function getBlockText(block: Block | undefined): string {
  switch (block?.kind) {
    case undefined:
      return "";
    case "user":
    case "assistant":
    case "thinking":
    case "pin":
    case "note":
      return block.text;
    case "tool":
      return `${block.tool} ${Object.values(block.arguments).map(toText).join(" ")} ${block.output} ${block.diff ?? ""}`;
    case "shell":
      return `${block.command} ${block.output}`;
    case "compaction":
      return block.entry.summary;
    case "branch-summary":
      return block.summary;
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
