/** Collects the ledger of entries from their messages and tool runs, and from the ledgers that compactions among them carry. */

import type { CompactionEntry, Entry } from "../entry.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { findChecks, findOutcome } from "./check-command.ts";
import { runCommits } from "./commits.ts";
import { messageImages } from "./images.ts";
import {
  emptyLedger,
  type Ledger,
  type LedgerCheck,
  type LedgerImage,
  MAX_LEDGER_CHARS,
  mergeLedgers,
  newestCommits,
} from "./ledger.ts";
import { updateErrors } from "./open-errors.ts";
import { hasStoredLedger, readLedger } from "./read-ledger.ts";
import {
  collectVisibleMessages,
  hasEnded,
  runExitCode,
  runOutput,
  runPath,
  runShellLine,
  type ToolRun,
  toolRuns,
  type VisibleMessage,
} from "./tool-runs.ts";
import { fileTouches, type ToolRoles } from "./touched-files.ts";

/**
 * Of a branch, or of any part of one that does not part a call from its result. `before` is the ledger of what came before these
 * entries: their successes close its errors.
 */
export function collectLedger(entries: readonly Entry[], roles: ToolRoles = {}, before: Ledger = emptyLedger): Ledger {
  // LED8: what was done on an abandoned branch is not part of this one.
  const ownEntries = selectUncountedEntries(entries).filter(({ type }) => type !== "branch_summary");
  // pi's lists know no order, so all that is known better counts as newer.
  const foreignLedgers = ownEntries.filter(isForeignCompaction).map(compactionLedger);
  const segments = splitAtCompactions(ownEntries.filter((entry) => !isForeignCompaction(entry)));
  return segments.reduce(
    (ledger, segment) => extendLedger(ledger, segment, roles),
    mergeLedgers([...foreignLedgers, before]),
  );
}

// What a compaction covers stands in its ledger; counted again, files that were rolled up would be counted twice.
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

/** Each compaction by itself, and what stands between them. */
function splitAtCompactions(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const segments: Entry[][] = [[]];
  for (const entry of entries) {
    if (entry.type === "compaction") segments.push([entry], []);
    else segments.at(-1)?.push(entry);
  }
  return segments;
}

function extendLedger(before: Ledger, segment: readonly Entry[], roles: ToolRoles): Ledger {
  const [first] = segment;
  if (first?.type === "compaction") return mergeLedgers([before, compactionLedger(first)]);
  const messages = collectVisibleMessages(segment);
  const runs = toolRuns(messages, roles);
  const newer: Ledger = {
    ...emptyLedger,
    files: fileTouches(segment, roles).map(({ path, did }) => ({ path, did })),
    checks: lastChecks(runs),
    commits: newestCommits(runs.flatMap(runCommits)),
    images: collectImages(messages, runs),
  };
  return { ...mergeLedgers([before, newer]), errors: updateErrors(before.errors, runs) };
}

/** The last of each kind; only their outputs are read. */
function lastChecks(runs: readonly ToolRun[]): readonly LedgerCheck[] {
  const checksByKind = new Map<string, () => LedgerCheck>();
  for (const run of runs) {
    const checks = findChecks(runShellLine(run) ?? "", runExitCode(run));
    checks.forEach(({ kind, command, exitCode: code }, index) => {
      // The last check of a line has the last word in its output.
      const readOutcome = (): string | null =>
        index === checks.length - 1 && hasEnded(run) ? findOutcome(runOutput(run)) : null;
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
  const paths = new Map(runs.map((run) => [run.entryId, runPath(run)]));
  return messages.flatMap((each) => messageImages(each, paths.get(each.entryId) ?? null));
}
