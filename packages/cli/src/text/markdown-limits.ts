/** Decides whether a text can be parsed as Markdown without a long delay or a stack overflow. */

/** S15: the Markdown parser is recursive, so a million nested quotes would overflow the stack. */
export function isSafeToParse(text: string): boolean {
  if (text.length > MAX_MARKDOWN_CHARS) return false;
  let markCount = 0;
  for (const line of text.split("\n")) {
    if (DEEP_NESTING.test(line)) return false;
    markCount = (BLOCK_START.test(line) ? 0 : markCount) + (line.match(/[*_[!]/g)?.length ?? 0);
    if (markCount > MAX_MARKS) return false;
  }
  return true;
}

/** Parsing blocks the screen. */
const MAX_MARKDOWN_CHARS = 60_000;

/** The parser compares each mark with all others of its paragraph, so the cost is quadratic. */
const MAX_MARKS = 600;

const DEEP_NESTING = /^(?:\s*(?:>|[-*+] |\d{1,9}[.)] )){10}/;

/** A list item, a table row, a heading or a blank line: the parser reads its text separately. */
const BLOCK_START = /^\s*(?:[-*+] |\d{1,9}[.)] |\||#{1,6} |$)/;
