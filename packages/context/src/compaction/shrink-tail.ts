/** Plans which kept messages are shortened or removed: those too large for the tail, images that exceed the request size, outdated results. */

import { latestEdit } from "../context/build-context.ts";
import type { ModelCalibration } from "../context/calibration.ts";
import { assistantReply, entryBytes, entryTokens } from "../context/context-size.ts";
import { readLoadedSkill } from "../context/loaded-skills.ts";
import { type PlannedEdit, shrinkEntry } from "../context/shrink-entry.ts";
import { type ContextEditEntry, type Entry, entryReference, isEditable } from "../entry.ts";
import { findOutdatedResults, type OutdatedReason, type OutdatedResult } from "../ledger/outdated-results.ts";
import type { ImageBlock } from "../message.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import type { Budget, CompactionLevel } from "./budget.ts";
import { isVisibleToModel } from "./cut-point.ts";

/** Returns a text for each image of a kept entry, in order. The text replaces the image. */
export type DescribeImages = (entry: Entry, kept: readonly Entry[]) => readonly string[];

export interface ShortenOptions {
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  readonly level: CompactionLevel;
  readonly calibration: ModelCalibration;
  readonly describeImages: DescribeImages;
}

/** Plans the edits that shorten kept messages, in log order. The newest entries are the first to stay unchanged. */
export function planShortenings(kept: readonly Entry[], options: ShortenOptions): readonly PlannedEdit[] {
  const { edits } = options.branch;
  const planned: PlannedEdit[] = [];
  let bytes = 0;
  for (const entry of kept.toReversed().filter((each) => isVisibleToModel(each, edits))) {
    const entryWeight = entryBytes(entry, latestEdit(edits, entry));
    // KEEP8: the newest entry may use most of the request size. Older entries have a lower limit.
    const freeBytes = (bytes === 0 ? options.budget.bytes * NEWEST_BYTES_SHARE : maxKeptBytes(options.budget)) - bytes;
    const shortening = shrinkIfTooBig(entry, { ...options, kept, excessBytes: entryWeight - freeBytes });
    if (shortening) planned.unshift(shortening);
    bytes += shortening ? entryBytes(entry, shortening as ContextEditEntry) : entryWeight;
  }
  return planned;
}

/** Returns the maximum size of the kept part in bytes, which leaves space for new messages. */
export function maxKeptBytes({ bytes }: Budget): number {
  return bytes * 0.5;
}

/** The share of the maximum request size that the newest message may use. */
const NEWEST_BYTES_SHARE = 0.9;

/** Returns the tokens of a kept entry after its shortening, if it needs one. */
export function tokensAfterShortening(entry: Entry, options: SizeOptions): number {
  const size = entryTokens(entry, latestEdit(options.branch.edits, entry), options.calibration);
  return size > maxEntryTokens(options) && isEditable(entry) ? Math.min(size, tokensPerShortenedEntry(options)) : size;
}

type SizeOptions = Omit<ShortenOptions, "describeImages">;

// CUT7: a larger entry is shortened.
function maxEntryTokens(options: SizeOptions): number {
  return Math.max(tokensPerShortenedEntry(options), options.budget.tail * options.level.shortenAbove);
}

const tokensPerShortenedEntry = ({ budget, level }: SizeOptions): number => budget.shortenedMessage * level.tailShare;

interface ShrinkIfTooBigOptions extends ShortenOptions {
  readonly kept: readonly Entry[];
  /** The number of bytes over the limit. */
  readonly excessBytes: number;
}

function shrinkIfTooBig(entry: Entry, options: ShrinkIfTooBigOptions): PlannedEdit | null {
  const { branch, calibration, excessBytes } = options;
  const edit = latestEdit(branch.edits, entry);
  const size = entryTokens(entry, edit, calibration);
  const isBig = size > maxEntryTokens(options);
  if ((!isBig && excessBytes <= 0) || !isEditable(entry)) return null;
  const shortening = shrinkEntry(entry, {
    edits: branch.edits,
    tokens: Math.floor((isBig ? Math.min(size, tokensPerShortenedEntry(options)) : size) / calibration.factor),
    imageMark: excessBytes > 0 ? createImageMarker(entry, options) : null,
  });
  const isSmaller = shortening && entryBytes(entry, shortening as ContextEditEntry) < entryBytes(entry, edit);
  return isSmaller ? shortening : null;
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

export interface ResultRemovalOptions {
  readonly branch: LoadedBranch;
  /** The edits of the branch, and those that are planned. */
  readonly edits: readonly ContextEditEntry[];
  readonly calibration: ModelCalibration;
  /** Whether a read of a file that was edited since may be removed. Default: no. */
  readonly acceptsEdited?: (outdated: OutdatedResult) => boolean;
}

/** Plans a context edit for each outdated result among the entries, oldest first. */
export function planResultRemovals(entries: readonly Entry[], options: ResultRemovalOptions): readonly PlannedEdit[] {
  const { branch, edits, calibration, acceptsEdited = () => false } = options;
  const pinnedIds = new Set(branch.state.pins.map(({ entryId }) => entryId));
  const newestIds = new Set(entries.slice(entries.findLastIndex(assistantReply)).map(({ id }) => id));
  const accepts = (outdated: OutdatedResult): boolean => {
    const { entry, why } = outdated;
    if (newestIds.has(entry.id) || pinnedIds.has(entry.id) || readLoadedSkill(entry)) return false;
    if (entryTokens(entry, undefined, calibration) < MIN_REMOVED_TOKENS) return false;
    return why !== "edited" || acceptsEdited(outdated);
  };
  return findOutdatedResults(entries, { edits, accepts }).map((outdated) => ({
    type: "context_edit",
    targetId: outdated.entry.id,
    replacement: { content: [{ type: "text", text: describeRemoval(outdated) }] },
    pith: { reduced: true, outdated: outdated.why },
  }));
}

/** A smaller result costs about as much as the line that would replace it. */
const MIN_REMOVED_TOKENS = 200;

/** Returns the tokens that planned removals free. */
export function countFreedTokens(
  removals: readonly PlannedEdit[],
  { entries }: Pick<LoadedBranch, "entries">,
  calibration: ModelCalibration,
): number {
  const entriesById = new Map(entries.map((entry) => [entry.id, entry]));
  return removals.reduce((sum, removal) => {
    const entry = entriesById.get(removal.targetId);
    if (!entry) return sum;
    const sizes = [undefined, removal as ContextEditEntry].map((edit) => entryTokens(entry, edit, calibration));
    return sum + (sizes[0] ?? 0) - (sizes[1] ?? 0);
  }, 0);
}

/** The line that the model reads in place of the result. */
function describeRemoval({ entry, why, path, result }: OutdatedResult): string {
  const output = result ? `the output of ${sanitizeName(result.toolName, 80)}` : "the text of files";
  const what = path === null ? output : `the text of ${sanitizeName(path, MAX_PATH_CHARS)}`;
  const reason = result ? removalReasons[why] : COPIES_REASON;
  return `[Removed to save space: ${what} that was shown here. ${reason} To see the removed text, read ${entryReference(entry)}.]`;
}

/** A bracket without a partner would close that of the line, so it becomes round. The brackets of `[id].ts` and `[[...slug]].ts` stay. */
function sanitizeName(name: string, maxChars: number): string {
  return sanitizeLine(name, maxChars).replace(/\[\[[^[\]]*\]\]|\[[^[\]]*\]|\]/g, (part) => (part === "]" ? ")" : part));
}

const removalReasons: Readonly<Record<OutdatedReason, string>> = {
  "read-again": "The file was read again later in this conversation; use that text.",
  written: "The whole file was written later in this conversation; use that text.",
  edited:
    "The file has been edited since, so this text is out of date. Read the file again before you rely on it or edit it.",
  repeated: "A later result in this conversation has exactly the same text.",
  "listed-again": "The same call was made again later in this conversation; use that result.",
};

const COPIES_REASON = "Each of them was read or written as a whole later in this conversation; use that text.";

const MAX_PATH_CHARS = 300;
