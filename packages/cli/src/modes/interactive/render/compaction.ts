/** Renders a compaction as two lines (what was dropped, kept and paid) and, when opened, its full receipt. */

import { type CompactionEntry, type Receipt, readReceipt } from "@pith/context";
import { keyTold } from "../../../settings/keymap-text.ts";
import { amount, bytesTold, costTold, counted, secondsTold } from "../../../text/format.ts";
import { clipped } from "../../../text/safe-text.ts";
import type { Compacted } from "../state/blocks.ts";
import { cut, partShown, wrapped } from "./text.ts";
import { type Brush, isLive } from "./theme.ts";

export function receiptRows(entry: CompactionEntry, brush: Brush): readonly string[] {
  const { theme, width } = brush;
  const receipt = wholeReceipt(entry);
  const rows = (receipt ? factsOf(receipt, entry) : []).flatMap(([name, value]) =>
    wrapped(clipped(value), { width, mark: `  ${theme.dim(name.padEnd(NAME))}`, indent: " ".repeat(NAME + 2) }),
  );
  const most = brush.most === undefined ? {} : { most: Math.max(4, brush.most - rows.length - 3) };
  const summary = partShown({ text: entry.summary, few: 0, end: "first", ink: theme.dim }, { ...brush, ...most });
  return [...rows, `  ${theme.dim("instead the model reads:")}`, ...summary];
}

/** Those that held when it was made. */
export function pinsIn({ details }: CompactionEntry): number {
  const { carried } = Object(Object(details).pith) as { readonly carried?: { readonly pins?: unknown } };
  const pins = Object(carried).pins;
  return Array.isArray(pins) ? pins.length : 0;
}

const NAME = 12;

type Fact = readonly [name: string, value: string];

/** It comes from a file, and other programs write files, too: what is not there is not told. */
function factsOf(receipt: Receipt, entry: CompactionEntry): readonly Fact[] {
  const { reason, by, route, tokens, bytes, calls, cost, durationMs, covered, kept, findings } = receipt;
  const limit = typeof tokens.limit !== "number" ? "" : `; more than ${amount(tokens.limit)} is too much`;
  const paid = [counted(calls, "call"), ...(cost > 0 ? [costTold(cost)] : []), secondsTold(durationMs)].join(", ");
  return [
    ["why", (Object.hasOwn(REASONS, reason) && REASONS[reason]) || `${reason}`],
    ["told by", `${by ?? (route === "hook" ? "a hook" : "code alone")}: ${paid}`],
    ["tokens", `${amount(tokens.before)} → ${amount(tokens.after)}${limit}`],
    ["bytes", `${bytesTold(bytes.before)} → ${bytesTold(bytes.after)}`],
    ["dropped", `the oldest ${counted(covered.count, "entry", "entries")}; the agent and /tree still find them`],
    ["kept", `the newest ${counted(kept.count, "entry", "entries")}, as they were said`],
    ["pinned", `${amount(pinsIn(entry))}, word for word`],
    ...findings.map(({ note }): Fact => ["found", note]),
  ];
}

const REASONS: Readonly<Partial<Record<Receipt["reason"], string>>> = {
  asked: "somebody asked for it",
  due: "the context was full",
  overflow: "the provider refused the context as too long",
  "model-switch": "the next model sees less at once",
};

/** Null where not all that is shown of it is there: other programs write files, too. */
export function wholeReceipt(entry: CompactionEntry): Receipt | null {
  const receipt = readReceipt(entry);
  if (!receipt) return null;
  const { tokens, bytes, covered, kept, calls, cost, durationMs, findings, by } = receipt as Partial<Receipt>;
  const figures = [tokens?.before, bytes?.before, bytes?.after, covered?.count, kept?.count, calls, cost, durationMs];
  const isWhole = figures.every((figure) => typeof figure === "number") && (by === null || typeof by === "string");
  const isTold = Array.isArray(findings) && findings.every((finding) => typeof Object(finding).note === "string");
  return isWhole && isTold ? receipt : null;
}

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
