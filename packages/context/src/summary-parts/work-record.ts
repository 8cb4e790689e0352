/** Keeps what code knows about the covered work, whoever writes the summary: the ledger, a note per turn, and the touched files. */

import { type CompactionPlan, MODEL_FREE_ROUTE } from "../compaction/plan.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-part.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";
import { collectLedger } from "../ledger/collect-ledger.ts";
import { emptyLedger, type Ledger } from "../ledger/ledger.ts";
import { readLedger } from "../ledger/read-ledger.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { type FileLists, fileTouches, newestFileLists, readFileLists } from "../ledger/touched-files.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import {
  collectTurnNotes,
  isTurn,
  markAsSummarized,
  mergeTurnNotes,
  parseTurnNotes,
  type TurnNote,
} from "./turn-notes.ts";

export interface WorkRecord {
  readonly ledger: Ledger;
  readonly turns: readonly TurnNote[];
  /** For pi, which lists them in its own summaries. */
  readonly files: FileLists;
}

/** Files, commands, errors and turns, as code knows them. Its text is the ledger; the turns are listed if no model writes. */
export const workRecord: SummaryPart<WorkRecord> = {
  kind: "ledger",
  share: null,
  collect: buildWorkRecord,
  render({ ledger }, { plan: { checkpoint }, candidate: { narrative, notes } }) {
    const freeTokens = checkpoint - textTokens(narrative) - textTokens(notes);
    return renderLedger(ledger, { tokens: Math.max(freeTokens, checkpoint * MIN_LEDGER_SHARE) });
  },
  details: ({ ledger, turns }) => ({ ledger, turns }),
  piDetails: ({ files }) => ({ readFiles: files.read, modifiedFiles: files.modified }),
};

/** The share of the checkpoint that is left to the ledger if the summary is too long. */
const MIN_LEDGER_SHARE = 0.1;

/** Returns the work record of a plan. */
export function collectWorkRecord(plan: CompactionPlan): WorkRecord {
  return collectPart(workRecord, plan);
}

// The compaction before stands behind what it kept; what it carries is older than that all the same. Those before it
// may stand among the covered too, and are told by it: told again, their files would be counted twice.
function buildWorkRecord(plan: CompactionPlan): WorkRecord {
  const { branch, covered, budget } = plan;
  const lastCompaction = branch.entries[branch.compactionIndex];
  const compaction = lastCompaction?.type === "compaction" ? lastCompaction : null;
  const ledger = previousLedger(compaction);
  const newEntries = covered.filter((entry) => entry.type !== "compaction");
  // pi's lists know no order, the ledger has that of the newest.
  const touches = [...readFileLists(compaction?.details), ...ledger.files, ...fileTouches(newEntries, budget.tools)];
  return {
    ledger: collectLedger([...newEntries, ...laterEdits(plan)], budget.tools, ledger),
    turns: reopenLastTurn(
      mergeTurnNotes(previousTurnNotes(compaction), collectTurnNotes(newEntries, branch.edits, budget.tools)),
      plan,
    ),
    files: newestFileLists(touches, MAX_TOUCHED_FILES),
  };
}

// A model or a hook that wrote the summary was shown all turns before it.
function previousTurnNotes(compaction: CompactionEntry | null): readonly TurnNote[] {
  const { turns, receipt } = readPithDetails(compaction?.details);
  const notes = parseTurnNotes(turns);
  return Object(receipt).route === MODEL_FREE_ROUTE ? notes : markAsSummarized(notes);
}

// A turn whose rest is kept has not ended yet.
function reopenLastTurn(turns: readonly TurnNote[], { cut }: CompactionPlan): readonly TurnNote[] {
  const openIndex = cut.turnStartIndex === null ? -1 : turns.findLastIndex(isTurn);
  return turns.map((turn, index) => (index === openIndex ? withoutEnding(turn) : turn));
}

function withoutEnding({ ending: _ending, ...turn }: TurnNote): TurnNote {
  return turn;
}

// What an edit in the kept part has removed from the covered one does not come back either.
function laterEdits({ kept }: CompactionPlan): readonly Entry[] {
  return kept.filter((entry) => entry.type === "context_edit");
}

function previousLedger(compaction: CompactionEntry | null): Ledger {
  return (compaction && readLedger(compaction.details)) ?? emptyLedger;
}

// B49: what is written for pi stays small; the log itself has them all.
const MAX_TOUCHED_FILES = 500;
