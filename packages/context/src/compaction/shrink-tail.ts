/** Plans which kept messages are shortened: those too large for the tail, and images that exceed the request size. */

import { latestEdit } from "../context/build-context.ts";
import { entryBytes, entryTokens, type ModelCalibration } from "../context/context-size.ts";
import { type Reduction, shrinkEntry } from "../context/shrink-entry.ts";
import { type ContextEditEntry, type Entry, entryReference } from "../entry.ts";
import type { ImageBlock } from "../message.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { isEditable } from "../session/store.ts";
import type { Budget, ReductionLevel } from "./budget.ts";
import { isVisibleToModel } from "./cut-point.ts";

/** Returns a text for each image of a kept entry, in order. The text replaces the image. */
export type DescribeImages = (entry: Entry, kept: readonly Entry[]) => readonly string[];

export interface ReductionOptions {
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  readonly level: ReductionLevel;
  readonly calibration: ModelCalibration;
  readonly describeImages: DescribeImages;
}

/** Plans the reductions, in log order. The newest entries are the first to stay unchanged. */
export function planReductions(kept: readonly Entry[], options: ReductionOptions): readonly Reduction[] {
  const { edits } = options.branch;
  const planned: Reduction[] = [];
  let bytes = 0;
  for (const entry of kept.toReversed().filter((each) => isVisibleToModel(each, edits))) {
    const entryWeight = entryBytes(entry, latestEdit(edits, entry));
    // KEEP8: the newest entry may use most of the request size. Older entries have a lower limit.
    const freeBytes = (bytes === 0 ? options.budget.bytes * NEWEST_BYTES_SHARE : maxKeptBytes(options.budget)) - bytes;
    const reduction = shrinkIfTooBig(entry, { ...options, kept, excessBytes: entryWeight - freeBytes });
    if (reduction) planned.unshift(reduction);
    bytes += reduction ? entryBytes(entry, reduction as ContextEditEntry) : entryWeight;
  }
  return planned;
}

/** Returns the maximum size of the kept part in bytes, which leaves space for new messages. */
export function maxKeptBytes({ bytes }: Budget): number {
  return bytes * 0.5;
}

/** The share of the maximum request size that the newest message may use. */
const NEWEST_BYTES_SHARE = 0.9;

/** Returns the tokens of a kept entry after its reduction, if it needs one. */
export function tokensAfterReduction(entry: Entry, options: SizeOptions): number {
  const size = entryTokens(entry, latestEdit(options.branch.edits, entry), options.calibration);
  return size > maxEntryTokens(options) && isEditable(entry) ? Math.min(size, tokensPerReducedEntry(options)) : size;
}

type SizeOptions = Omit<ReductionOptions, "describeImages">;

// CUT7: a larger entry is reduced.
function maxEntryTokens(options: SizeOptions): number {
  return Math.max(tokensPerReducedEntry(options), options.budget.tail * options.level.reduceAbove);
}

const tokensPerReducedEntry = ({ budget, level }: SizeOptions): number => budget.reducedMessage * level.tailShare;

interface ShrinkIfTooBigOptions extends ReductionOptions {
  readonly kept: readonly Entry[];
  /** The number of bytes over the limit. */
  readonly excessBytes: number;
}

function shrinkIfTooBig(entry: Entry, options: ShrinkIfTooBigOptions): Reduction | null {
  const { branch, calibration, excessBytes } = options;
  const edit = latestEdit(branch.edits, entry);
  const size = entryTokens(entry, edit, calibration);
  const isBig = size > maxEntryTokens(options);
  if ((!isBig && excessBytes <= 0) || !isEditable(entry)) return null;
  const reduction = shrinkEntry(entry, {
    edits: branch.edits,
    tokens: Math.floor((isBig ? Math.min(size, tokensPerReducedEntry(options)) : size) / calibration.factor),
    imageMark: excessBytes > 0 ? createImageMarker(entry, options) : null,
  });
  const isSmaller = reduction && entryBytes(entry, reduction as ContextEditEntry) < entryBytes(entry, edit);
  return isSmaller ? reduction : null;
}

// Replaces images, oldest first, until the entry is within the limit.
function createImageMarker(
  entry: Entry,
  { kept, excessBytes, describeImages }: ShrinkIfTooBigOptions,
): (image: ImageBlock) => string | null {
  const marks = [...describeImages(entry, kept)];
  let remainingBytes = excessBytes;
  return ({ data }) => {
    const mark = marks.shift() ?? `[image ${entryReference(entry)}]`;
    if (remainingBytes <= 0) return null;
    remainingBytes -= typeof data === "string" ? data.length : 0;
    return mark;
  };
}
