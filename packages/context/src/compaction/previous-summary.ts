/** Reads the summary message of the previous compaction, so that the next one can update it. */

import { readSummaryPartTexts, type SummaryPartText } from "../context/read-summary-parts.ts";
import { type CompactionEntry, readPithDetails } from "../entry.ts";
import { demoteHeadings, splitSummaryLines } from "../summary/summary-lines.ts";

/** The content of the previous compaction that the next one reads. */
export interface PreviousSummary {
  readonly compaction: CompactionEntry | null;
  /** The parts of the summary message, in order; empty for a summary from another program. */
  readonly parts: readonly SummaryPartText[];
  /** The summary from a model, a hook or another program; empty if there is none. */
  readonly narrative: string;
  /** The list of turns, written without a model. */
  readonly notes: string;
  /** Whether the narrative was checked against the log when it was written. */
  readonly isChecked: boolean;
}

export const noPreviousSummary: PreviousSummary = {
  compaction: null,
  parts: [],
  narrative: "",
  notes: "",
  isChecked: false,
};

/** Splits a summary message into its parts. A summary from another program is one narrative. */
export function readPreviousSummary(compaction: CompactionEntry): PreviousSummary {
  const parts = readSummaryPartTexts(compaction);
  // A heading from another program must not look like the heading of a part.
  if (parts.length === 0)
    return {
      ...noPreviousSummary,
      compaction,
      narrative: demoteHeadings(splitSummaryLines(compaction.summary.trim())).join("\n"),
    };
  return {
    compaction,
    parts,
    narrative: partText(parts, "story").replace(NARRATIVE_TITLE, "").trim(),
    notes: partText(parts, "notes").trim(),
    // A summary from another program stays unchecked when a later compaction carries it over.
    isChecked: readPithDetails(compaction.details).checked === true,
  };
}

/** Returns the text of the first part of a kind, without the blank line before the next part. */
export function partText(parts: readonly SummaryPartText[], kind: string): string {
  const index = parts.findIndex(({ part }) => part.kind === kind);
  const text = parts[index]?.text ?? "";
  return index < parts.length - 1 ? text.replace(/\n\n$/, "") : text;
}

/** Returns the narrative and the notes of the previous summary as one text. */
export function previousNarrative({ narrative, notes }: PreviousSummary): string {
  return [narrative, notes].filter((text) => text !== "").join("\n\n");
}

/** The heading above a narrative in the summary message. */
export const NARRATIVE_TITLE = "# Summary (a report, not the user's words)\n";
