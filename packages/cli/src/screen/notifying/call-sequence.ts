/** What makes a terminal call somebody: its bell, or a notification of the desktop, in the words that this terminal understands. Pure. */

import type { Environment } from "@pith/models";
import { oneLine } from "../../printing/one-line.ts";
import { plain } from "../../printing/plain.ts";

export type Notify = "off" | "bell" | "desktop";

export function callSequence(text: string, how: Notify, environment: Environment): string {
  if (how === "off") return "";
  if (how === "bell") return BELL;
  const sequence = desktopSequence(text, environment);
  // The bell as well: what passes it on may not know what a notification is.
  return `${environment.TMUX ? passedThrough(sequence) : sequence}${BELL}`;
}

const BELL = "\x07";
const END = "\x1b\\";

function desktopSequence(text: string, environment: Environment): string {
  const words = shortened(oneLine(plain(text)));
  switch (speechOf(environment)) {
    case "kitty":
      return `\x1b]99;i=pith:d=0;Pith${END}\x1b]99;i=pith:p=body;${words}${END}`;
    case "urxvt":
      return `\x1b]777;notify;Pith;${words.replaceAll(";", ",")}${END}`;
    case "iterm":
      return `\x1b]9;Pith: ${words}${END}`;
  }
}

/** OSC 99, 777 or 9: which one a terminal knows, by what it says of itself. */
function speechOf({ TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID, VTE_VERSION }: Environment) {
  if (KITTY_WINDOW_ID || TERM.includes("kitty")) return "kitty";
  if (VTE_VERSION || /^(?:rxvt|foot)/.test(TERM) || /^(?:ghostty|WarpTerminal)$/i.test(TERM_PROGRAM)) return "urxvt";
  return "iterm";
}

const LONGEST = 200;

function shortened(text: string): string {
  // Half a sign would be none.
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** tmux hands on what stands in its own brackets, where it is allowed to. */
function passedThrough(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${END}`;
}
