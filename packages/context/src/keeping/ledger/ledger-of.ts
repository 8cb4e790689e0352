/** The ledger of entries: what is said and done in them, and the ledgers that compactions and branch summaries among them carry. */

import type { BranchSummaryEntry, CompactionEntry, Entry } from "../../entry.ts";
import type { ToolRoles } from "../../reading/tools/tool-roles.ts";
import { fileTouches } from "../../reading/touched-files.ts";
import { commandOf } from "./finding/commands.ts";
import { errorsOf } from "./finding/errors.ts";
import { imagesOf } from "./finding/images.ts";
import { linesOf } from "./finding/lines.ts";
import { referencesOf } from "./finding/references.ts";
import { pathOf, runsIn, unlessRepeated } from "./finding/runs.ts";
import { type Said, saidIn } from "./finding/said.ts";
import { emptyLedger, type Ledger, type LedgerImage } from "./ledger.ts";
import { carriesLedger, ledgerIn } from "./ledger-in.ts";
import { mergedInOrder } from "./merge.ts";
import { newestFound, wanted } from "./newest.ts";
import { newestCommands } from "./newest-commands.ts";

/** Of a branch, or of any part of one that does not part a call from its result. */
export function ledgerOf(entries: readonly Entry[], roles: ToolRoles = {}): Ledger {
  const untold = untoldEntries(entries);
  // pi's lists know neither order nor origin, so all that is known better counts as newer.
  const lists = untold.filter(isForeignSummary).map(carried);
  const stretches = stretchesOf(untold.filter((entry) => !isForeignSummary(entry)));
  return mergedInOrder([...lists, ...stretches.map((stretch) => ledgerOfStretch(stretch, roles))]);
}

// What a compaction covers stands in its ledger; told again, files that were rolled up would be counted twice.
function untoldEntries(entries: readonly Entry[]): readonly Entry[] {
  const at = entries.findLastIndex((entry) => entry.type === "compaction" && carriesLedger(entry.details));
  const compaction = entries[at];
  if (compaction?.type !== "compaction") return entries;
  const first = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const kept = entries.slice(Math.max(first, 0), at).filter(({ type }) => type !== "compaction");
  return [compaction, ...kept, ...entries.slice(at + 1)];
}

type Summary = CompactionEntry | BranchSummaryEntry;

function isSummary(entry: Entry | undefined): entry is Summary {
  return entry?.type === "compaction" || entry?.type === "branch_summary";
}

function isForeignSummary(entry: Entry): entry is Summary {
  return isSummary(entry) && !carriesLedger(entry.details);
}

function carried({ id, details }: Summary): Ledger {
  return ledgerIn(details, id) ?? emptyLedger;
}

/** Each summary by itself, and what stands between them. */
function stretchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const stretches: Entry[][] = [[]];
  for (const entry of entries) {
    if (isSummary(entry)) stretches.push([entry], []);
    else stretches.at(-1)?.push(entry);
  }
  return stretches;
}

// A first compaction may cover a hundred thousand entries: only files are taken from all of them.
function ledgerOfStretch(stretch: readonly Entry[], roles: ToolRoles): Ledger {
  if (isSummary(stretch[0])) return carried(stretch[0]);
  const said = saidIn(stretch);
  const runs = runsIn(said, roles);
  const paths = new Map(runs.map((run) => [run.entryId, pathOf(run)]));
  const imagesIn = (each: Said): readonly LedgerImage[] => imagesOf(each, paths.get(each.entryId) ?? null);
  return {
    ...emptyLedger,
    files: fileTouches(stretch, roles),
    commands: newestCommands(runs, commandOf),
    errors: newestFound(runs, { ...wanted.errors, find: unlessRepeated(errorsOf) }),
    lines: newestFound(runs, { ...wanted.lines, find: unlessRepeated(linesOf) }),
    references: newestFound(said, { ...wanted.references, find: referencesOf }),
    images: newestFound(said, { ...wanted.images, find: imagesIn }),
  };
}
