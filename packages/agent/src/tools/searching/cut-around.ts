/** A long line, cut to what stands around its hit: one line of minified code can have megabytes. */

import { cuttable } from "../../text/whole-letters.ts";
import type { GrepWish } from "../../workspace.ts";

const LONGEST_LINE = 500;

const MARK = "[…]";
/** What is shown before the hit. */
const LEAD = 150;

export interface LongLine extends Pick<GrepWish, "redaction"> {
  /** More of it follows, known to somebody else. */
  readonly goesOn?: boolean;
}

/** The line itself where it is short enough; else no longer than that, marks included. */
export function cutAround(whole: string, place: number, { goesOn = false, redaction }: LongLine = {}): string {
  if (whole.length <= LONGEST_LINE) return whole;
  const line = redaction?.redacted(whole) ?? whole;
  // What stands before the hit may have become shorter.
  const hit = line === whole ? place : (redaction?.redacted(whole.slice(0, place)).length ?? place);
  const room = LONGEST_LINE - 2 * MARK.length;
  const start = cuttable(line, Math.max(0, Math.min(hit - LEAD, line.length - room)));
  const end = cuttable(line, Math.min(start + room, line.length));
  const before = start > 0 ? MARK : "";
  const after = end < line.length || goesOn ? MARK : "";
  return before + line.slice(start, end) + after;
}
