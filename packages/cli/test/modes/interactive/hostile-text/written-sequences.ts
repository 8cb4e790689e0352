/** Records what is written to a terminal, and finds in it what is none of the few things we write there: text, line ends, and a closed list of sequences. */

import type { HeadlessTerminal } from "../../../support/headless-terminal.ts";

/** Gives what was written since it was last asked. */
export function recordOutput(terminal: HeadlessTerminal): () => string {
  const write = terminal.write.bind(terminal);
  let bytes = "";
  terminal.write = (data) => {
    bytes += data;
    write(data);
  };
  return () => {
    const taken = bytes;
    bytes = "";
    return taken;
  };
}

/** Each thing that does not belong there, the first of them at most. */
export function findForeignSequences(written: string): readonly string[] {
  const rest = written.replaceAll(OURS, "");
  return [...rest.matchAll(STRANGE)]
    .slice(0, MOST)
    .map(({ 0: sign, index }) => JSON.stringify(around(rest, sign, index)));
}

const MOST = 5;

function around(text: string, sign: string, at: number): string {
  return `${text.slice(Math.max(0, at - 20), at)}${sign}${text.slice(at + sign.length, at + 30)}`;
}

const SGR = "\\x1b\\[(?:(?:0|1|2|3|4|7|9|22|23|24|27|29|39|49)(?:;|(?=m)))*m";
/** Up, down, right, to a column, to a place: no screen of a test has 77 rows or columns. */
const CURSOR = "\\x1b\\[(?!77)\\d*[ABCDG]|\\x1b\\[(?!77)\\d+;(?!77)\\d+H";
const ERASING = "\\x1b\\[0?J|\\x1b\\[2?K|\\x1b\\[K";
/** The cursor seen or not, another screen, pictures at once, pastes, the focus. */
const MODES = "\\x1b\\[\\?(?:25|1049|2026|2004|1004)[hl]";
/** Its title kept and given back, and set to words. */
const TITLE = "\\x1b\\[2[23];0t|\\x1b\\]0;(?![^\\x07]*gotcha)[^\\p{Cc}\\p{Cf}]*\\x07";
/** The end of a link, which a line's end takes for granted. */
const LINK_END = "\\x1b\\]8;;\\x07";
const OURS = new RegExp([SGR, CURSOR, ERASING, MODES, TITLE, LINK_END].join("|"), "gu");

/** As `plain` knows them, and a return that no line end follows or that begins no picture. */
const STRANGE =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}\u{115f}\u{1160}\u{3164}\u{ffa0}]--[\r\n\u{200c}\u{200d}]]/gv;
