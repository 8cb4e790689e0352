/** What code keeps of the covered part, whoever writes the story: the ledger and a note for each turn. */

import type { CompactionEntry, Entry } from "../../entry.ts";
import { emptyLedger, type Ledger } from "../../keeping/ledger/ledger.ts";
import { ledgerIn } from "../../keeping/ledger/ledger-in.ts";
import { ledgerOf } from "../../keeping/ledger/ledger-of.ts";
import { mergedLedgers } from "../../keeping/ledger/merge.ts";
import { mergedTurns, type TurnNote, turnNotes, turnsIn } from "../../keeping/turns.ts";
import { carriedFiles, fileTouches, newestFiles, type TouchedFiles } from "../../reading/touched-files.ts";
import { isShown } from "../planning/cut.ts";
import type { Plan } from "../planning/plan.ts";

export interface Kept {
  readonly ledger: Ledger;
  readonly turns: readonly TurnNote[];
  /** For pi, which lists them in its own summaries. */
  readonly files: TouchedFiles;
}

/** The same plan always keeps the same; it is worked out once. */
export function keptByCode(plan: Plan): Kept {
  const known = keptOf.get(plan);
  if (known) return known;
  const kept = gathered(plan);
  keptOf.set(plan, kept);
  return kept;
}

const keptOf = new WeakMap<Plan, Kept>();

// The compaction before stands behind what it kept; what it carries is older than that all the same. Those before it
// may stand among the covered too, and are told by it: told again, their files would be counted twice.
function gathered(plan: Plan): Kept {
  const { window, covered, budget } = plan;
  const before = window.entries[window.compactionAt];
  const compaction = before?.type === "compaction" ? before : null;
  const ledger = ledgerBefore(compaction);
  const since = covered.filter((entry) => entry.type !== "compaction");
  const shown = since.filter((entry) => isShown(entry, window.edits));
  const carried = (compaction?.details as { readonly pith?: { readonly turns?: unknown } } | undefined)?.pith?.turns;
  // pi's lists know no order, the ledger has that of the newest.
  const touches = [...carriedFiles(compaction?.details), ...ledger.files, ...fileTouches(since, budget.tools)];
  return {
    ledger: mergedLedgers(ledger, ledgerOf([...since, ...laterEdits(plan)], budget.tools)),
    turns: mergedTurns(turnsIn(carried), turnNotes(shown, window.edits)),
    files: newestFiles(touches, MOST_FILES),
  };
}

// What an edit in the kept part has removed from the covered one does not come back either.
function laterEdits({ kept }: Plan): readonly Entry[] {
  return kept.filter((entry) => entry.type === "context_edit");
}

function ledgerBefore(compaction: CompactionEntry | null): Ledger {
  return (compaction && ledgerIn(compaction.details)) ?? emptyLedger;
}

// B49: what is written for pi stays small; the log itself has them all.
const MOST_FILES = 500;
