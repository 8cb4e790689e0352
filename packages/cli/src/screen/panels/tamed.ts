/** A line of a panel as a terminal may get it, whoever drew it: its inks and the mark of the cursor stay, and of all the rest nothing steers. */

import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { plain } from "../../printing/plain.ts";
import { fitted } from "../drawing/lines/wrapped.ts";

export function tamed(line: string, width: number): string {
  const safe = line
    .split(OURS)
    // What splits comes along, at every second place.
    .map((piece, at) => (at % 2 === 1 ? piece : inOneLine(piece)))
    .join("");
  return fitted(safe, width);
}

const OURS = new RegExp(`(\\x1b\\[[\\d;]*m|${CURSOR_MARKER})`);

/** A line end or a tab in a name would move what stands below and beside it. */
function inOneLine(text: string): string {
  return plain(text).replaceAll("\n", " ").replaceAll("\t", "    ");
}
