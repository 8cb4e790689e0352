/** Collects the ledger of entries from their messages and tool runs, and from the ledgers stored in compactions. */

import { blobReference } from "../citations.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { LONG_STEP, runAtOnce, type Steps } from "../event-loop.ts";
import { isObject } from "../json.ts";
import { isImageBlob, parseBlobBlock } from "../session/blobs.ts";
import type { ToolRoles } from "../settings.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { imageSize } from "../tokens/estimate-tokens.ts";
import { applyTouches, isDeletedBy } from "./apply-touches.ts";
import { updateCommits } from "./commits.ts";
import { findChecks, findOutcome } from "./find-checks.ts";
import {
  emptyLedger,
  hasStoredLedger,
  type Ledger,
  type LedgerCheck,
  type LedgerFolder,
  type LedgerImage,
  MAX_LEDGER_CHARS,
  mergeLedgers,
  readLedger,
} from "./ledger.ts";
import { updateErrors } from "./open-errors.ts";
import type { PathTouch } from "./shell-commands.ts";
import {
  collectToolRuns,
  collectVisibleMessages,
  hasEnded,
  messageBlocks,
  messageTexts,
  type ToolRun,
  toolRunExitCode,
  toolRunOutput,
  toolRunPath,
  toolRunShellLine,
  type VisibleMessage,
} from "./tool-runs.ts";
import { fileTouches } from "./touched-files.ts";

/**
 * Collects the ledger of a branch, or of a part of one that does not separate a call from its result. `before` is the ledger of the
 * entries before these; a success in these entries closes its errors.
 */
export function collectLedger(entries: readonly Entry[], roles?: ToolRoles, before?: Ledger): Ledger {
  return runAtOnce(collectLedgerInSteps(entries, roles, before));
}

export function* collectLedgerInSteps(
  entries: readonly Entry[],
  roles: ToolRoles = {},
  before: Ledger = emptyLedger,
): Steps<Ledger> {
  // LED8: work on an abandoned branch is not part of this one.
  const ownEntries = selectUncountedEntries(entries).filter(({ type }) => type !== "branch_summary");
  // pi's file lists have no order, so every other source counts as newer.
  const foreignLedgers = ownEntries.filter(isForeignCompaction).map(compactionLedger);
  const segments = splitAtCompactions(ownEntries.filter((entry) => !isForeignCompaction(entry)));
  let ledger = mergeLedgers([...foreignLedgers, before]);
  for (const segment of segments) ledger = yield* extendLedger(ledger, segment, roles);
  return ledger;
}

// A compaction's ledger already counts the entries it covers. Counting them again would count rolled-up files twice.
function selectUncountedEntries(entries: readonly Entry[]): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.type === "compaction" && hasStoredLedger(entry.details));
  const compaction = entries[index];
  if (compaction?.type !== "compaction") return entries;
  const first = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const keptEntries = entries.slice(Math.max(first, 0), index).filter(({ type }) => type !== "compaction");
  return [compaction, ...keptEntries, ...entries.slice(index + 1)];
}

function isForeignCompaction(entry: Entry): entry is CompactionEntry {
  return entry.type === "compaction" && !hasStoredLedger(entry.details);
}

function compactionLedger({ id, details }: CompactionEntry): Ledger {
  return readLedger(details, id) ?? emptyLedger;
}

/** Splits entries into segments: each compaction alone, and the entries between compactions. */
function splitAtCompactions(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const segments: Entry[][] = [[]];
  for (const entry of entries) {
    if (entry.type === "compaction") segments.push([entry], []);
    else segments.at(-1)?.push(entry);
  }
  return segments;
}

function* extendLedger(before: Ledger, segment: readonly Entry[], roles: ToolRoles): Steps<Ledger> {
  const [first] = segment;
  if (first?.type === "compaction") return mergeLedgers([before, compactionLedger(first)]);
  const messages = collectVisibleMessages(segment);
  const runs = collectToolRuns(messages, roles);
  yield LONG_STEP;
  const touches = fileTouches(segment, roles);
  yield LONG_STEP;
  const checks = [...before.checks, ...lastChecks(runs)];
  const errors = updateErrors(before.errors, runs);
  const commits = updateCommits(before.commits, runs);
  yield LONG_STEP;
  const images = [...before.images, ...collectImages(messages, runs)];
  const files = applyTouches([...before.files, ...touches]);
  const folders = removeDeletedFolders(before.folders, touches);
  return mergeLedgers([{ files, folders, checks, errors, commits, images }]);
}

// The counts of a folder include its files only, so a folder that was deleted or moved has none.
function removeDeletedFolders(
  folders: readonly LedgerFolder[],
  touches: readonly PathTouch[],
): readonly LedgerFolder[] {
  const removed = touches.flatMap((touch) =>
    touch.did === "deleted" ? [touch] : touch.did === "moved" ? [{ path: touch.path, did: "deleted" } as const] : [],
  );
  return folders.filter(({ folder }) => !removed.some((touch) => isDeletedBy(touch, folder)));
}

/** Returns the last check of each kind, and reads the output of those only. */
function lastChecks(runs: readonly ToolRun[]): readonly LedgerCheck[] {
  const checksByKind = new Map<string, () => LedgerCheck>();
  for (const run of runs) {
    const checks = findChecks(toolRunShellLine(run) ?? "", toolRunExitCode(run));
    checks.forEach(({ kind, command, exitCode: code }, index) => {
      // The end of the output belongs to the last check of the line.
      const readOutcome = (): string | null =>
        index === checks.length - 1 && hasEnded(run) ? findOutcome(toolRunOutput(run)) : null;
      checksByKind.delete(kind);
      checksByKind.set(kind, () => ({
        kind,
        command: sanitizeLine(command, MAX_LEDGER_CHARS.command),
        exitCode: code,
        outcome: readOutcome(),
      }));
    });
  }
  return [...checksByKind.values()].map((check) => check());
}

function collectImages(messages: readonly VisibleMessage[], runs: readonly ToolRun[]): readonly LedgerImage[] {
  const paths = new Map(runs.map((run) => [run.entryId, toolRunPath(run)]));
  return messages.flatMap((message) => messageImages(message, paths.get(message.entryId) ?? null));
}

/** Lists the images of a message, each with the reference that opens it later (B51). `path` is the file that the tool call names. */
function messageImages(source: VisibleMessage, path: string | null): readonly LedgerImage[] {
  // An edit may have replaced an image by a mark, so the original message is read.
  const images = messageBlocks(source.original).flatMap((block) => {
    const handle = imageReference(block, source);
    return handle === null ? [] : [{ handle, size: formatImageSize(block) }];
  });
  if (images.length === 0) return [];
  const shared = {
    path: path !== null && path.length <= MAX_LEDGER_CHARS.path ? path : null,
    caption: findImageCaption(source),
    entryId: source.entryId,
  };
  return images.map((image) => ({ ...image, ...shared }));
}

/** Returns the first line of text in the message that is not an image mark. */
function findImageCaption({ message }: VisibleMessage): string | null {
  const captionText = messageTexts(message).find((text) => /\S/.test(text) && !text.startsWith("[image ")) ?? "";
  const [first = ""] = captionText.trimStart().split(/[\r\n]/, 1);
  return sanitizeLine(first, MAX_LEDGER_CHARS.caption) || null;
}

function imageReference(block: unknown, { reference }: VisibleMessage): string | null {
  if (isObject(block) && block.type === "image") return reference;
  const blob = parseBlobBlock(block);
  return blob && isImageBlob(blob) ? blobReference(blob.hash) : null;
}

/** Returns the size of an inline image. The size of a blob is unknown until it is opened. */
function formatImageSize(block: unknown): string | null {
  const size = isObject(block) && typeof block.data === "string" ? imageSize(block.data) : null;
  return size && `${size.width}x${size.height}`;
}
