/** How full a context is, as a row of cells: what stays first, what is kept, what is new, what is free, and where it is too much. Pure. */

import type { Ink, Theme } from "../../drawing/theme.ts";
import type { Meter } from "../../state/facts.ts";

/** Each part has a sign of its own, so that it can be read without colours. */
export const signs = { front: "█", tail: "▓", fresh: "▒", free: "·" } as const;

/** Where one is told that it fills up, and where it is compacted. */
export const marks = { soft: "╎", hard: "┃" } as const;

export interface BarSize {
  readonly width: number;
  readonly theme: Theme;
}

/** It ends where it is compacted, so that it is as full as the percentage says; what is more stands behind that mark. Empty where nobody knows. */
export function meterBar(meter: Meter, { width, theme }: BarSize): string {
  const { tokens, limit, soft } = meter;
  if (limit === null || !(limit > 0) || width < 1) return "";
  const whole = Math.max(limit, tokens);
  const cells = partsIn(meter, { whole, width });
  const at = (place: number): number => Math.min(width - 1, Math.floor((place / whole) * width));
  const row: Cell[] = cells.map((ink) => ({ sign: signs[ink], ink }));
  if (soft !== null && soft < limit) row[at(soft)] = { sign: marks.soft, ink: "dim" };
  row[at(limit)] = { sign: marks.hard, ink: tokens > limit ? "bad" : "dim" };
  return painted(row, theme);
}

type Part = keyof typeof signs;

interface Cell {
  readonly sign: string;
  readonly ink: Ink;
}

function partsIn(
  { parts: { system, pins, words, checkpoint, tail, fresh }, tokens }: Meter,
  { whole, width }: { readonly whole: number; readonly width: number },
): readonly Part[] {
  const front = system + pins + words + checkpoint;
  // What is there at all shows.
  const end = (sum: number): number => (tokens > 0 ? Math.max(1, Math.round((sum / whole) * width)) : 0);
  const ends = { front: front > 0 ? end(front) : 0, tail: end(front + tail), fresh: end(front + tail + fresh) };
  return Array.from({ length: width }, (_, cell): Part => {
    if (cell < ends.front) return "front";
    if (cell < ends.tail && tail > 0) return "tail";
    return cell < ends.fresh && fresh > 0 ? "fresh" : "free";
  });
}

/** Cells of one ink together. */
function painted(row: readonly Cell[], theme: Theme): string {
  let text = "";
  for (let at = 0; at < row.length; ) {
    const ink = row[at]?.ink ?? "dim";
    let end = at;
    while (row[end]?.ink === ink) end += 1;
    text += theme[ink](
      row
        .slice(at, end)
        .map(({ sign }) => sign)
        .join(""),
    );
    at = end;
  }
  return text;
}
