/** How far a text that is still being written will not change any more: to the end of a whole paragraph, or of a line of long code. Pure. */

import { type Code, type Paragraph, paragraphs } from "./paragraphs.ts";

export interface Settled {
  readonly length: number;
  /** The code that is open there. */
  readonly code: Code | null;
}

/** From `from`, where a paragraph begins, or a line of the code that is open there. */
export function settled(text: string, from: number, code: Code | null = null): Settled {
  let last: Paragraph | null = null;
  for (const paragraph of paragraphs(text, from, code))
    if (last === null || isWhole(last, text)) last = paragraph;
    else break;
  if (last === null) return { length: from, code };
  if (last.code && !last.isClosed) return withinCode(text, last, last.code);
  return { length: last.start, code: last.start === from ? code : null };
}

/** Half of a last line may still become anything. */
function isWhole({ end, isClosed }: Paragraph, text: string): boolean {
  return !isClosed || text[end - 1] === "\n";
}

function withinCode(text: string, { start }: Paragraph, code: Code): Settled {
  const first = Math.max(start, code.start);
  let [at, lines] = [text.lastIndexOf("\n"), 0];
  while (at >= first && lines < KEPT) {
    at = text.lastIndexOf("\n", at - 1);
    lines += 1;
  }
  const isLong = at >= first && linesBetween(text, first, at) >= KEPT;
  if (isLong) return { length: at + 1, code };
  return { length: start, code: start >= code.start ? code : null };
}

function linesBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at <= to && count < KEPT; at = text.indexOf("\n", at + 1))
    count += 1;
  return count;
}

/** So many lines of code stay where they can still change; as many go at a time. */
export const KEPT = 4;
