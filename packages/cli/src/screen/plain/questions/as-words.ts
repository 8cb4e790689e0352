/** What was drawn for a screen, as lines to be read out: without inks, frames and marks. */

import { stripVTControlCharacters } from "node:util";
import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import { themeNamed } from "../../drawing/theme.ts";
import type { Sight } from "../../panels/panel.ts";

export function asWords(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => plain(stripVTControlCharacters(line.replaceAll(CURSOR_MARKER, ""))).split("\n"))
    .map((line) => line.replace(FRAME_BEFORE, "").replace(FRAME_BEHIND, "").trimEnd())
    .filter((line) => line.trim() !== "");
}

/** Boxes and rules, which would be read out sign by sign; what stands between words may be somebody's own. */
const FRAME_BEFORE = /^[\s\u2500-\u259f]*[\u2500-\u259f]/;
const FRAME_BEHIND = /[\u2500-\u259f][\s\u2500-\u259f]*$/;

/** Wide and high enough that nothing is cut which could be said. */
export const plainSight: Sight = { width: 160, height: 60, theme: themeNamed("none") };
