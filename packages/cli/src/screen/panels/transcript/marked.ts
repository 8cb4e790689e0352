/** Words that were looked for, standing out in a line that has inks of its own; also without colours. Pure. */

import type { Theme } from "../../drawing/theme.ts";

export function marked(line: string, query: string, theme: Theme): string {
  const spans = spansIn(line, query);
  if (spans.length === 0) return line;
  let [at, inks, drawn] = [0, "", ""];
  for (const [index, piece] of line.split(INK).entries()) {
    if (index % 2 === 1) {
      inks = RESETS.includes(piece) ? "" : inks + piece;
      drawn += piece;
      continue;
    }
    drawn += markedPiece(piece, { at, spans, mark: (text) => `${theme.selected(text)}${inks}` });
    at += piece.length;
  }
  return drawn;
}

/** Whether the words stand in it. */
export function isMarked(line: string, query: string): boolean {
  return spansIn(line, query).length > 0;
}

type Span = readonly [start: number, end: number];

interface Marking {
  /** Where the piece begins among the words of the line. */
  readonly at: number;
  readonly spans: readonly Span[];
  /** Ends all inks, so that those that hold come again. */
  readonly mark: (text: string) => string;
}

function markedPiece(piece: string, { at, spans, mark }: Marking): string {
  let [from, drawn] = [0, ""];
  for (const [start, end] of spans) {
    const [begin, stop] = [Math.max(from, start - at), Math.min(piece.length, end - at)];
    if (begin >= stop) continue;
    drawn += piece.slice(from, begin) + mark(piece.slice(begin, stop));
    from = stop;
  }
  return drawn + piece.slice(from);
}

/** Inks and links: what splits comes along, at every second place. */
const ESCAPE = "\x1b";
const INK = new RegExp(`(${ESCAPE}\\[[\\d;:]*m|${ESCAPE}\\]8;[^\\x07${ESCAPE}]*(?:\\x07|${ESCAPE}\\\\))`);
const RESETS: readonly string[] = ["\x1b[0m", "\x1b[m"];

/** In the words without their inks, whatever the case. */
function spansIn(line: string, query: string): readonly Span[] {
  if (query === "") return [];
  const words = line.split(INK).filter((_, index) => index % 2 === 0);
  const pattern = new RegExp(query.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  return [...words.join("").matchAll(pattern)].map(({ 0: found, index }) => [index, index + found.length]);
}
