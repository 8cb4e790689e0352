/** What must become smaller in the kept part: results and pastes too big for it, images too many for the wire. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import type { LedgerImage } from "../../keeping/ledger/ledger.ts";
import { ledgerOf } from "../../keeping/ledger/ledger-of.ts";
import { imageMark } from "../../keeping/ledger/showing/image-mark.ts";
import { type Reduction, reduced } from "../../keeping/reduced.ts";
import { latestEdit } from "../../reading/latest-edit.ts";
import type { Fit } from "../../reading/tokens/calibration.ts";
import { entryBytes, entryTokens } from "../../reading/tokens/context-size.ts";
import type { Window } from "../../session/window.ts";
import type { Budget } from "./budget.ts";
import { isShown } from "./cut.ts";
import type { Rung } from "./rungs.ts";

export interface Reduced {
  readonly reductions: readonly Reduction[];
  /** Tokens of the kept part with them. */
  readonly tokens: number;
}

export interface ReductionParts {
  readonly window: Window;
  readonly budget: Budget;
  readonly rung: Rung;
  readonly fit: Fit;
}

// KEEP8: the newest images stay; what is older than half of the wire's bytes is named instead.
export function reductions(kept: readonly Entry[], { window, budget, rung, fit }: ReductionParts): Reduced {
  const { edits } = window;
  const room = budget.reduced * rung.tail;
  const most = Math.max(room, budget.tail * rung.reduceAbove);
  const made: Reduction[] = [];
  let [tokens, bytes] = [0, 0];
  for (const entry of kept.toReversed().filter((each) => isShown(each, edits))) {
    const edit = latestEdit(edits, entry);
    const size = entryTokens(entry, edit, fit);
    bytes += entryBytes(entry, edit);
    const isHeavy = bytes > budget.bytes * IMAGES;
    const reduction =
      size > most || isHeavy ? smaller(entry, { kept, isHeavy, tokens: size > most ? room / fit.factor : size }) : null;
    const after = reduction ? entryTokens(entry, reduction as ContextEditEntry, fit) : size;
    if (reduction && after < size) made.unshift(reduction);
    tokens += Math.min(size, after);
  }
  return { reductions: made, tokens };
}

/** Of the wire's bytes: what the kept part may weigh, so that there is room for what comes. */
const IMAGES = 0.5;

interface Smaller {
  readonly kept: readonly Entry[];
  readonly isHeavy: boolean;
  readonly tokens: number;
}

function smaller(entry: Entry, { kept, isHeavy, tokens }: Smaller): Reduction | null {
  const images = isHeavy ? [...imagesOf(entry, kept)] : [];
  if (isHeavy && images.length === 0) return null;
  const mark = (): string => imageMark(images.shift() ?? unknownImage(entry));
  return reduced(entry, { tokens: Math.floor(tokens), imageMark: isHeavy ? mark : null });
}

// The path of an image is in the call before its result.
function imagesOf(entry: Entry, kept: readonly Entry[]): readonly LedgerImage[] {
  const at = kept.indexOf(entry);
  const call = kept.findLastIndex(
    (each, index) => index < at && each.type === "message" && each.message.role === "assistant",
  );
  return ledgerOf(kept.slice(Math.max(0, call), at + 1)).images.filter(({ entryId }) => entryId === entry.id);
}

function unknownImage({ id }: Entry): LedgerImage {
  return { handle: `entry:${id}`, size: null, path: null, caption: null, entryId: id };
}
