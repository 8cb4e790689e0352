/** A fault of the program itself: the terminal is given back as it was before anything is said of it, because nobody could read it otherwise. */

import { isStray, type Stray } from "../../../extending/loading/stray-faults.ts";
import { plain } from "../../../printing/plain.ts";

/** What comes back ends that. */
export function restoringOnFault(restore: () => void): () => void {
  const fault = (error: unknown, how: Stray): void => {
    // LOAD19: it is told by whoever loaded it.
    if (isStray(error, how)) return;
    restored(restore);
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`pith: this must not happen: ${plain(words)}\n${SAVED}\n`);
    process.exit(1);
  };
  const thrown = (error: unknown): void => fault(error, "thrown");
  const rejected = (error: unknown): void => fault(error, "rejected");
  process.on("uncaughtException", thrown);
  process.on("unhandledRejection", rejected);
  return () => {
    process.off("uncaughtException", thrown);
    process.off("unhandledRejection", rejected);
  };
}

/** What is broken may be the very thing that would restore it. */
function restored(restore: () => void): void {
  try {
    restore();
  } catch {
    process.stdin.setRawMode?.(false);
    process.stdout.write(AS_IT_WAS);
  }
}

/** The main screen, a cursor, and neither brackets around what is pasted nor word of focus nor keys spelled otherwise. */
const AS_IT_WAS = "\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4;0m\x1b[0m\r\n";

const SAVED = "pith: what was said and done until now is saved; go on with pith -c";
