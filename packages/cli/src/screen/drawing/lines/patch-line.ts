/** A line of a unified diff on a page, in its ink, without the two that name the file. Pure. */

import { plain } from "../../../printing/plain.ts";
import type { Theme } from "../theme.ts";

export function patchLine(line: string, theme: Theme): string {
  const sign = line[0] ?? "";
  // A line end of Windows is worth seeing only where it changed.
  const seen = sign === " " ? line.replace(/\r$/, "") : line;
  const text = ` ${plain(seen.slice(0, LONGEST).replaceAll("\t", "    "))}`;
  if (sign === "+") return theme.added(text);
  if (sign === "-") return theme.removed(text);
  return ASIDE.includes(sign) ? theme.dim(text) : text;
}

/** Places in the file, and notes. */
const ASIDE = ["@", "#", "\\"];

/** Letters of a line: no terminal is wider. */
const LONGEST = 2_000;
