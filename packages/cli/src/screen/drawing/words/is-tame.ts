/** Whether a text can be read as Markdown in no time: what nests without end, or is nothing but marks, is shown as it was written. Pure. */

/** S15: a million quotes within each other end a program that reads them one within the other. */
export function isTame(text: string): boolean {
  if (text.length > LONGEST) return false;
  let marks = 0;
  for (const line of text.split("\n")) {
    if (NESTS.test(line)) return false;
    marks = (BEGINS.test(line) ? 0 : marks) + marksIn(line);
    if (marks > MOST_MARKS) return false;
  }
  return true;
}

/** The rest of a screen waits for it. */
const LONGEST = 60_000;

/** Each is held against all others of its paragraph, so they cost their square. */
const MOST_MARKS = 600;

const NESTS = /^(?:\s*(?:>|[-*+] |\d{1,9}[.)] )){10}/;

/** An item, a row or a heading: what is in it is read by itself. */
const BEGINS = /^\s*(?:[-*+] |\d{1,9}[.)] |\||#{1,6} |$)/;

function marksIn(line: string): number {
  return line.match(/[*_[!]/g)?.length ?? 0;
}
