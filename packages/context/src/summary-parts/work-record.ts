/** Records the covered work without a model: the ledger, one note per turn, and the touched files. */

import { type CompactionPlan, MODEL_FREE_ROUTE } from "../compaction/plan.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-message.ts";
import { type CompactionEntry, type Entry, readPithDetails } from "../entry.ts";
import { LONG_STEP, runAtOnce, type Steps } from "../event-loop.ts";
import { collectLedgerInSteps } from "../ledger/collect-ledger.ts";
import { emptyLedger, type Ledger, readLedger } from "../ledger/ledger.ts";
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
  /** The ledger of the covered entries, which the next compaction continues. */
  readonly ledger: Ledger;
  /** The ledger of the covered and the kept entries. The model sees this one, so that no kept entry contradicts it (LED11). */
  readonly shownLedger: Ledger;
  readonly turns: readonly TurnNote[];
  /** Written for pi, which lists these files in its summaries. */
  readonly files: FileLists;
}

/** The summary part with the work record; it renders the ledger, and the fallback summary lists the turns. */
export const workRecord: SummaryPart<WorkRecord> = {
  kind: "ledger",
  share: null,
  collect: (plan) => runAtOnce(buildWorkRecord(plan)),
  collectInSteps: buildWorkRecord,
  render({ shownLedger }, { plan: { checkpoint }, candidate: { narrative, notes } }) {
    const freeTokens = checkpoint - textTokens(narrative) - textTokens(notes);
    return renderLedger(shownLedger, { tokens: Math.max(freeTokens, checkpoint * MIN_LEDGER_SHARE) });
  },
  details: ({ ledger, turns }) => ({ ledger, turns }),
  piDetails: ({ files }) => ({ readFiles: files.read, modifiedFiles: files.modified }),
};

/** The minimum share of the checkpoint for the ledger. */
const MIN_LEDGER_SHARE = 0.1;

/** Returns the work record of a plan. */
export function collectWorkRecord(plan: CompactionPlan): WorkRecord {
  return collectPart(workRecord, plan);
}

// The record of the previous compaction is the starting point: it is older than all covered entries, although its entry
// comes after those it kept. Compactions among the covered entries are skipped, or their files would be counted twice.
function* buildWorkRecord(plan: CompactionPlan): Steps<WorkRecord> {
  const { covered, kept, edits, budget } = plan;
  const { compaction } = plan.previous;
  const ledger = (compaction && readLedger(compaction.details)) ?? emptyLedger;
  const newEntries = covered.filter((entry) => entry.type !== "compaction");
  const keptEntries = kept.filter((entry) => entry.type !== "compaction");
  // pi's lists are unordered, so they come before the ledger, which is ordered by time.
  const touches = [
    ...readFileLists(compaction?.details),
    ...ledger.files,
    ...fileTouches([...newEntries, ...keptEntries], budget.tools),
  ];
  yield LONG_STEP;
  const coveredLedger = yield* collectLedgerInSteps([...newEntries, ...laterEdits(plan)], budget.tools, ledger);
  yield LONG_STEP;
  const shownLedger = yield* collectLedgerInSteps(keptEntries, budget.tools, coveredLedger);
  yield LONG_STEP;
  const newNotes = collectTurnNotes(newEntries, edits, budget.tools);
  return {
    ledger: coveredLedger,
    shownLedger,
    turns: reopenLastTurn(mergeTurnNotes(previousTurnNotes(compaction), newNotes), plan),
    files: newestFileLists(touches, MAX_TOUCHED_FILES),
  };
}

// A summary by a model or a hook covers all turns before it.
function previousTurnNotes(compaction: CompactionEntry | null): readonly TurnNote[] {
  const { turns, receipt } = readPithDetails(compaction?.details);
  const notes = parseTurnNotes(turns);
  return Object(receipt).route === MODEL_FREE_ROUTE ? notes : markAsSummarized(notes);
}

// A turn that continues in the kept entries has not ended yet.
function reopenLastTurn(turns: readonly TurnNote[], { cut }: CompactionPlan): readonly TurnNote[] {
  const openIndex = cut.turnStartIndex === null ? -1 : turns.findLastIndex(isTurn);
  return turns.map((turn, index) => (index === openIndex ? withoutEnding(turn) : turn));
}

function withoutEnding({ ending: _ending, ...turn }: TurnNote): TurnNote {
  return turn;
}

// A kept edit may remove text from a covered entry; that text must not reappear.
function laterEdits({ kept }: CompactionPlan): readonly Entry[] {
  return kept.filter((entry) => entry.type === "context_edit");
}

// B49: limits the lists written for pi; the log contains all files.
const MAX_TOUCHED_FILES = 500;
