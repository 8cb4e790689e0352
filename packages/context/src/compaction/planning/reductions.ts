/** What must become smaller in the kept part: results and pastes too big for it, images too many for the wire. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import type { LedgerImage } from "../../keeping/ledger/ledger.ts";
import { ledgerOf } from "../../keeping/ledger/ledger-of.ts";
import { imageMark } from "../../keeping/ledger/showing/image-mark.ts";
import { type Reduction, reduced } from "../../keeping/reduced.ts";
import type { ImageBlock } from "../../message.ts";
import { latestEdit } from "../../reading/latest-edit.ts";
import type { Fit } from "../../reading/tokens/calibration.ts";
import { entryBytes, entryTokens } from "../../reading/tokens/context-size.ts";
import { isEditable } from "../../session/check-batch.ts";
import type { Window } from "../../session/window.ts";
import type { Budget } from "./budget.ts";
import { isShown } from "./cut.ts";
import type { Rung } from "./rungs.ts";

export interface ReductionParts {
  readonly window: Window;
  readonly budget: Budget;
  readonly rung: Rung;
  readonly fit: Fit;
}

/** In the order of the log; from the newest on, as much as there is room for stays as it is. */
export function reductions(kept: readonly Entry[], parts: ReductionParts): readonly Reduction[] {
  const { edits } = parts.window;
  const made: Reduction[] = [];
  let bytes = 0;
  for (const entry of kept.toReversed().filter((each) => isShown(each, edits))) {
    const weight = entryBytes(entry, latestEdit(edits, entry));
    // KEEP8: what is newest may fill the wire; what is older stays within its part of it.
    const room = (bytes === 0 ? parts.budget.bytes * NEWEST : keptBytes(parts.budget)) - bytes;
    const reduction = smaller(entry, { ...parts, kept, excess: weight - room });
    if (reduction) made.unshift(reduction);
    bytes += reduction ? entryBytes(entry, reduction as ContextEditEntry) : weight;
  }
  return made;
}

/** What the kept part may weigh, so that there is room for what comes. */
export function keptBytes({ bytes }: Budget): number {
  return bytes * 0.5;
}

/** Of what the wire carries: what the newest message may weigh by itself. */
const NEWEST = 0.9;

/** Tokens of an entry in the kept part, once it is reduced if it must be. */
export function reducedTokens(entry: Entry, parts: ReductionParts): number {
  const size = entryTokens(entry, latestEdit(parts.window.edits, entry), parts.fit);
  return size > mostTokens(parts) && isEditable(entry) ? Math.min(size, room(parts)) : size;
}

// CUT7
function mostTokens(parts: ReductionParts): number {
  return Math.max(room(parts), parts.budget.tail * parts.rung.reduceAbove);
}

const room = ({ budget, rung }: ReductionParts): number => budget.reduced * rung.tail;

interface Smaller extends ReductionParts {
  readonly kept: readonly Entry[];
  /** Bytes that it weighs too much. */
  readonly excess: number;
}

function smaller(entry: Entry, parts: Smaller): Reduction | null {
  const { window, fit, excess } = parts;
  const edit = latestEdit(window.edits, entry);
  const size = entryTokens(entry, edit, fit);
  const isBig = size > mostTokens(parts);
  if ((!isBig && excess <= 0) || !isEditable(entry)) return null;
  const reduction = reduced(entry, {
    edits: window.edits,
    tokens: Math.floor((isBig ? Math.min(size, room(parts)) : size) / fit.factor),
    imageMark: excess > 0 ? marks(entry, parts) : null,
  });
  const isSmaller = reduction && entryBytes(entry, reduction as ContextEditEntry) < entryBytes(entry, edit);
  return isSmaller ? reduction : null;
}

// As many images as weigh too much, the oldest first.
function marks(entry: Entry, { kept, excess }: Smaller): (image: ImageBlock) => string | null {
  const images = [...imagesOf(entry, kept)];
  let left = excess;
  return ({ data }) => {
    const image = images.shift() ?? unknownImage(entry);
    if (left <= 0) return null;
    left -= typeof data === "string" ? data.length : 0;
    return imageMark(image);
  };
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
