/** Whether a context fits whatever the exact count: a look that costs nothing, for whoever looks before every request. */

import type { Entry } from "../entry.ts";
import { measuredAt, measureOf, replyIn } from "../reading/tokens/measure.ts";
import type { Window } from "../session/window.ts";
import type { Budget } from "./planning/budget.ts";

/** DUE6: false says nothing; then `due` counts. */
export function surelyFits(window: Window, { limit, bytes, to, fixed = 0 }: Budget): boolean {
  const { entries, compactionAt } = window;
  const at = measuredAt(window, to);
  const reply = replyIn(entries[at]);
  // What is sent besides the log is learnt from any reply, and carried by a compaction.
  if (!reply && (compactionAt >= 0 || entries.some(replyIn))) return false;
  const measured = (reply && measureOf(reply)?.total) ?? fixed;
  const since = entries.slice(at + 1).reduce((sum, entry) => sum + lengthOf(entry), 0);
  const all = entries.reduce((sum, entry) => sum + lengthOf(entry), 0);
  return measured + since * MOST_TOKENS <= limit && all * MOST_BYTES <= bytes;
}

/** Of a UTF-16 unit; no tokenizer that we know of takes more than three, and a calibration adds at most as much again. */
const MOST_TOKENS = 6;
const MOST_BYTES = 3;

const lengths = new WeakMap<Entry, number>();

/** Entries never change, so that each is measured once. */
function lengthOf(entry: Entry): number {
  const known = lengths.get(entry);
  if (known !== undefined) return known;
  const length = JSON.stringify(entry).length;
  lengths.set(entry, length);
  return length;
}
