/** A compaction in the transcript: two lines that say what was dropped, kept and paid, and the whole receipt when opened. */

import type { CompactionEntry } from "@pith/context";
import { amount, costTold, counted } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";
import { keyTold } from "../../keys/key-hint.ts";
import type { Compacted } from "../../state/block.ts";
import { type Brush, isLive } from "../brush.ts";
import { cut, wrapped } from "../lines/wrapped.ts";
import { pinsIn, receiptRows, wholeReceipt } from "./receipt-rows.ts";

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
  // Who serves it stands in the receipt.
  const model = receipt?.by?.slice(receipt.by.lastIndexOf("/") + 1);
  const teller = receipt ? ` · told by ${model ?? (receipt.route === "hook" ? "a hook" : "code alone")}` : "";
  const cost = receipt && receipt.cost > 0 ? ` · ${costTold(receipt.cost)}` : "";
  return `${isUndone ? "compaction, undone" : "compacted"}: ${size}${cost}${teller}`;
}

function balanceOf(entry: CompactionEntry): string {
  const receipt = wholeReceipt(entry);
  if (!receipt) return "all that it stands for is still in the log";
  const pins = pinsIn(entry);
  return [
    `dropped the oldest ${counted(receipt.covered.count, "entry", "entries")}, all recoverable`,
    `kept the newest ${amount(receipt.kept.count)}`,
    pins === 0 ? "no pins" : counted(pins, "pin"),
  ].join(" · ");
}

/** Only while they still do what they say. */
function keys({ isUndone }: Compacted, brush: Brush): readonly string[] {
  if (!isLive(brush)) return [];
  const told = [
    keyTold("undoCompaction", isUndone ? "brings it back" : "undoes it", brush.keymap),
    keyTold("seen", "what the model sees now", brush.keymap),
    keyTold("fold", brush.isUnfolded ? "closes the receipt" : "the receipt", brush.keymap),
  ].filter((text) => text !== "");
  return told.length === 0 ? [] : [cut(told.join(" · "), { width: brush.width, ink: brush.theme.dim })];
}
