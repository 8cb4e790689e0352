/** Collects the ledger of entries from their messages and tool runs, and from the ledgers that compactions among them carry. */

import type { CompactionEntry, Entry } from "../entry.ts";
import { plainText } from "../text/sanitize.ts";
import { findChecks, findOutcome } from "./check-command.ts";
import { runCommits } from "./commits.ts";
import { messageImages } from "./images.ts";
import {
  emptyLedger,
  LETTERS,
  type Ledger,
  type LedgerCheck,
  type LedgerImage,
  mergedInOrder,
  newestCommits,
} from "./ledger.ts";
import { updateErrors } from "./open-errors.ts";
import { carriesLedger, ledgerIn } from "./read-ledger.ts";
import {
  exitCode,
  hasEnded,
  type LoggedMessage,
  loggedMessages,
  namedPath,
  type Run,
  runOutput,
  shellLine,
  toolRuns,
} from "./tool-runs.ts";
import { fileTouches, type ToolRoles } from "./touched-files.ts";

/**
 * Of a branch, or of any part of one that does not part a call from its result. `before` is the ledger of what came before these
 * entries: their successes close its errors.
 */
export function ledgerOf(entries: readonly Entry[], roles: ToolRoles = {}, before: Ledger = emptyLedger): Ledger {
  // LED8: what was done on an abandoned branch is not part of this one.
  const own = uncountedEntries(entries).filter(({ type }) => type !== "branch_summary");
  // pi's lists know no order, so all that is known better counts as newer.
  const lists = own.filter(isForeignCompaction).map(carriedLedger);
  const stretches = splitAtCompactions(own.filter((entry) => !isForeignCompaction(entry)));
  return stretches.reduce((ledger, stretch) => extendLedger(ledger, stretch, roles), mergedInOrder([...lists, before]));
}

// What a compaction covers stands in its ledger; counted again, files that were rolled up would be counted twice.
function uncountedEntries(entries: readonly Entry[]): readonly Entry[] {
  const at = entries.findLastIndex((entry) => entry.type === "compaction" && carriesLedger(entry.details));
  const compaction = entries[at];
  if (compaction?.type !== "compaction") return entries;
  const first = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const kept = entries.slice(Math.max(first, 0), at).filter(({ type }) => type !== "compaction");
  return [compaction, ...kept, ...entries.slice(at + 1)];
}

function isForeignCompaction(entry: Entry): entry is CompactionEntry {
  return entry.type === "compaction" && !carriesLedger(entry.details);
}

function carriedLedger({ id, details }: CompactionEntry): Ledger {
  return ledgerIn(details, id) ?? emptyLedger;
}

/** Each compaction by itself, and what stands between them. */
function splitAtCompactions(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const stretches: Entry[][] = [[]];
  for (const entry of entries) {
    if (entry.type === "compaction") stretches.push([entry], []);
    else stretches.at(-1)?.push(entry);
  }
  return stretches;
}

function extendLedger(before: Ledger, stretch: readonly Entry[], roles: ToolRoles): Ledger {
  const [first] = stretch;
  if (first?.type === "compaction") return mergedInOrder([before, carriedLedger(first)]);
  const messages = loggedMessages(stretch);
  const runs = toolRuns(messages, roles);
  const newer: Ledger = {
    ...emptyLedger,
    files: fileTouches(stretch, roles).map(({ path, did }) => ({ path, did })),
    checks: lastChecks(runs),
    commits: newestCommits(runs.flatMap(runCommits)),
    images: imagesIn(messages, runs),
  };
  return { ...mergedInOrder([before, newer]), errors: updateErrors(before.errors, runs) };
}

/** The last of each kind; only their outputs are read. */
function lastChecks(runs: readonly Run[]): readonly LedgerCheck[] {
  const last = new Map<string, () => LedgerCheck>();
  for (const run of runs) {
    const found = findChecks(shellLine(run) ?? "", exitCode(run));
    found.forEach(({ kind, command, exitCode: code }, at) => {
      // The last check of a line has the last word in its output.
      const outcome = (): string | null =>
        at === found.length - 1 && hasEnded(run) ? findOutcome(runOutput(run)) : null;
      last.delete(kind);
      last.set(kind, () => ({
        kind,
        command: plainText(command, LETTERS.command),
        exitCode: code,
        outcome: outcome(),
      }));
    });
  }
  return [...last.values()].map((check) => check());
}

function imagesIn(messages: readonly LoggedMessage[], runs: readonly Run[]): readonly LedgerImage[] {
  const paths = new Map(runs.map((run) => [run.entryId, namedPath(run)]));
  return messages.flatMap((each) => messageImages(each, paths.get(each.entryId) ?? null));
}
