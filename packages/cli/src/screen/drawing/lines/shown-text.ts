/** Text from anywhere as it may be shown: it steers nothing, tabs are blanks, and no letter bears a tower of marks. */

import { plain } from "../../../printing/plain.ts";

export function shownText(text: string): string {
  return plain(text).replaceAll("\t", "    ").replace(TOWER, "$1");
}

/** The same in one line. */
export function shownLine(text: string): string {
  return shownText(text.replaceAll(/\s*\n\s*/g, " ⏎ "));
}

/** A few marks on a letter are a language; hundreds are a way to fill a screen. */
const TOWER = /(\p{M}{8})\p{M}+/gu;
