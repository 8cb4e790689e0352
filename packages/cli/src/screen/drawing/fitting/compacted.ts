/** A compaction in the transcript: two lines that say what was kept, dropped and paid, and the whole receipt when opened. */

import type { CompactionEntry } from "@pith/context";
import { costTold } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";
import { amount, counted } from "../../../subcommands/sessions/wording/amounts.ts";
import type { Compacted } from "../../state/block.ts";
import { type Brush, isLive } from "../brush.ts";
import { cut, wrapped } from "../lines/wrapped.ts";
import { pinsIn, receiptRows } from "./receipt-rows.ts";
import { wholeReceipt } from "./whole-receipt.ts";

export function drawCompacted(block: Compacted, brush: Brush): readonly string[] {
  const { theme, width } = brush;
  const mark = block.isUndone ? theme.dim("≡") : theme.accent("≡");
  const head = `${mark} ${cut(headOf(block), { width: width - 2, indent: "", ink: theme.strong })}`;
  const warnings = block.warnings.flatMap((note) =>
    wrapped(clipped(note, LONGEST_NOTE), { width, mark: theme.warning("! "), ink: theme.warning }),
  );
  const body = brush.isUnfolded ? receiptRows(block.entry, brush) : [];
  return [
    head,
    ...wrapped(balanceOf(block.entry), { width, ink: theme.dim }),
    ...warnings,
    ...body,
    ...keys(block, brush),
  ];
}

/** Of what should be known, no more than one reads in passing. */
const LONGEST_NOTE = 300;

function headOf({ entry, isUndone }: Compacted): string {
  const receipt = wholeReceipt(entry);
  const before = amount(receipt?.tokens.before ?? entry.tokensBefore);
  const size = receipt ? `${before} → ${amount(receipt.tokens.after)} tokens` : `${before} tokens before`;
  const teller = receipt ? ` · told by ${receipt.by ?? (receipt.route === "hook" ? "a hook" : "code alone")}` : "";
  const cost = receipt && receipt.cost > 0 ? ` · ${costTold(receipt.cost)}` : "";
  return `${isUndone ? "compaction, undone" : "compacted"}: ${size}${cost}${teller}`;
}

function balanceOf(entry: CompactionEntry): string {
  const receipt = wholeReceipt(entry);
  if (!receipt) return "all that it stands for is still in the log";
  const pins = pinsIn(entry);
  return [
    `kept ${counted(receipt.kept.count, "entry", "entries")}`,
    `dropped ${amount(receipt.covered.count)}, all recoverable`,
    `pinned ${pins === 0 ? "none" : amount(pins)}`,
  ].join(" · ");
}

/** Only while they still do what they say. */
function keys({ isUndone }: Compacted, brush: Brush): readonly string[] {
  if (!isLive(brush)) return [];
  const undo = isUndone ? "alt+u brings it back" : "alt+u undoes it";
  const fold = brush.isUnfolded ? "ctrl+o closes the receipt" : "ctrl+o the receipt";
  const line = `${undo} · alt+s what the model sees now · ${fold}`;
  return [cut(line, { width: brush.width, ink: brush.theme.dim })];
}
