/** Whether it is time: too many tokens or too many bytes, and nothing that says to wait. */

import { type Entry, MOVE } from "../entry.ts";
import { latestEdit } from "../reading/latest-edit.ts";
import { calibrationAt, fitOf } from "../reading/tokens/calibration.ts";
import { type ContextSize, contextSize, entryTokens } from "../reading/tokens/context-size.ts";
import type { Window } from "../session/window.ts";
import { isOpen } from "./breaker.ts";
import { type Budget, shouldCompact } from "./planning/budget.ts";

export type Due =
  | { readonly type: "due"; readonly why: "tokens" | "bytes"; readonly size: ContextSize }
  | { readonly type: "not-due"; readonly why: "fits" | "off" | "undone" | "breaker"; readonly size: ContextSize };

/** Whether the context as it would be sent now is too much, and nothing says to wait. */
export function due(window: Window, budget: Budget): Due {
  const size = contextSize(window, budget);
  const why = shouldCompact(size, budget);
  if (!why) return { type: "not-due", why: "fits", size };
  if (!budget.limits.enabled) return { type: "not-due", why: "off", size };
  if (isOpen(window, budget)) return { type: "not-due", why: "breaker", size };
  if (isQuiet(window, budget)) return { type: "not-due", why: "undone", size };
  return { type: "due", why, size };
}

// UNDO2: who undid a compaction is not given the same one again at once.
function isQuiet(window: Window, budget: Budget): boolean {
  const undo = window.entries.findLastIndex(isUndo);
  if (undo === -1 || undo < window.compactionAt) return false;
  const fit = fitOf(calibrationAt(window), budget.to);
  const grown = window.entries
    .slice(undo)
    .reduce((sum, entry) => sum + entryTokens(entry, latestEdit(window.edits, entry), fit), 0);
  return grown < budget.span * budget.limits.quietAfterUndo;
}

/** Whether a move has undone a compaction. */
export function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE && typeof Object(entry.data).undoes === "string";
}
