/** Words from elsewhere as they may stand in an editor: nothing in them steers a terminal, hides, or turns the reading order round. */

import { stripVTControlCharacters } from "node:util";

/** Line ends and tabs stay; so do the joiners that scripts and emoji are written with. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, "");
}

/** The same signs that are shown as escapes elsewhere. Here they go: nobody typed them, and nobody could see them. */
const UNSEEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\n\t\u{200c}\u{200d}\u{600}-\u{605}\u{6dd}\u{70f}\u{8e2}]]/gv;
