/** Draws the visible part of the transcript page, and searches the transcript for text. */

import { counted } from "../../../../text/format.ts";
import { plain } from "../../../../text/safe-text.ts";
import { atBothEnds, fitted } from "../../render/text.ts";
import type { Block } from "../../state/blocks.ts";
import type { Sight } from "../panel.ts";
import { drawLine, hintLine } from "../widgets.ts";
import { linesAt, marked, type Rows } from "./scroll.ts";
import { newer, type Spot, type TranscriptSource, type TranscriptState } from "./state.ts";

export function drawTranscript(state: TranscriptState, sight: Sight, title: string): readonly string[] {
  const { theme, width } = sight;
  const rule = theme.border("─".repeat(width));
  const rows = roomIn(sight);
  const body = bodyOf(state, rows);
  const filled = Array.from({ length: rows.height }, (_, at) => body[at] ?? "");
  const lines = [head(state, sight, title), rule, ...filled, rule, foot(state, sight)];
  return lines.map((line) => fitted(line, width));
}

/** Without the title, the keys, and the rules between them and the rest. */
export function roomIn({ width, height, theme }: Sight): Rows {
  return { width, theme, height: Math.max(1, height - 4) };
}

function bodyOf(state: TranscriptState, rows: Rows): readonly string[] {
  const lines: string[] = [];
  if (state.marks.length > 0 && !state.loaded.has(state.top.page)) return [` ${rows.theme.dim("reading …")}`];
  for (let spot: Spot | null = state.top; spot && lines.length < rows.height; spot = newer(state, spot)) {
    const isHere = spot.page === state.at.page && spot.block === state.at.block;
    const own = linesAt(state, spot, rows).slice(spot === state.top ? state.top.row : 0);
    const mark = (line: string): string => (isHere && line !== "" ? rows.theme.accent("▌") : " ");
    // Only what is seen: a block may be a thousand pages high.
    const seen = own.slice(0, rows.height - lines.length);
    lines.push(...seen.map((line) => `${mark(line)}${marked(line, state.query, rows.theme)}`));
  }
  if (state.isWhole && lines.length === 0) return [` ${rows.theme.dim("nothing was said yet")}`];
  return lines;
}

function head(state: TranscriptState, { theme, width }: Sight, title: string): string {
  const left = ` ${theme.strong("Transcript")}${title === "" ? "" : ` ${theme.dim("·")} ${plain(title)}`}`;
  return atBothEnds(left, theme.dim(placeTold(state)), width);
}

function placeTold({ marks, at, isWhole }: TranscriptState): string {
  const all = marks.reduce((sum, { count }) => sum + count, 0);
  const entries = counted(all, "entry", "entries");
  if (!isWhole) return `${entries} so far …`;
  const newerThan = marks.slice(0, at.page).reduce((sum, { count }) => sum + count, 0);
  return marks.length < 2 ? entries : `${Math.round(((all - newerThan) / all) * 100)} % of ${entries}`;
}

function foot({ typing, note }: TranscriptState, { theme, width }: Sight): string {
  if (typing) return ` ${theme.accent("/")} ${drawLine(typing, theme)}`;
  if (note !== null) return ` ${theme.dim(plain(note))}`;
  return hintLine(HINTS, { width, theme });
}

/** `n` goes up: one begins to read at the end. */
const HINTS = ["↑↓ walk", "Enter opens", "/ search", "n up", "N down", "g start", "G end", "Esc closes"];

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
