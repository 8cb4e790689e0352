/** The transcript page as lines: of a hundred thousand entries only those that are seen. Pure. */

import { counted } from "../../../printing/amounts.ts";
import { plain } from "../../../printing/plain.ts";
import { atBothEnds } from "../../drawing/lines/columns.ts";
import { fitted } from "../../drawing/lines/wrapped.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { drawLine } from "../../widgets/line-input.ts";
import type { Sight } from "../panel.ts";
import { linesAt, type Rows } from "./block-rows.ts";
import { marked } from "./marked.ts";
import type { Spot, TranscriptState } from "./transcript-state.ts";
import { newer } from "./walking.ts";

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
