/** Renders a compaction as two lines (what was dropped, kept and paid) and, when opened, its full receipt. */

import { type CompactionEntry, type Receipt, readReceipt } from "@pith/context";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { formatBytes, formatCost, formatCount, formatNumber, formatSeconds } from "../../../text/format.ts";
import { truncate } from "../../../text/safe-text.ts";
import type { CompactionBlock } from "../state/blocks.ts";
import { renderFoldable, truncateLine, wrapText } from "./text.ts";
import { isLive, type RenderContext } from "./theme.ts";

export function renderReceipt(entry: CompactionEntry, context: RenderContext): readonly string[] {
  const { theme, width } = context;
  const receipt = readCompleteReceipt(entry);
  const rows = (receipt ? buildReceiptRows(receipt, entry) : []).flatMap(([name, value]) =>
    wrapText(truncate(value), {
      width,
      prefix: `  ${theme.dim(name.padEnd(LABEL_WIDTH))}`,
      indent: " ".repeat(LABEL_WIDTH + 2),
    }),
  );
  const rowLimit = context.maxRows === undefined ? {} : { maxRows: Math.max(4, context.maxRows - rows.length - 3) };
  const summary = renderFoldable(
    { text: entry.summary, foldedLines: 0, end: "first", style: theme.dim },
    { ...context, ...rowLimit },
  );
  return [...rows, `  ${theme.dim("instead the model reads:")}`, ...summary];
}

/** Those that held when it was made. */
export function countPins({ details }: CompactionEntry): number {
  const { carried } = Object(Object(details).pith) as { readonly carried?: { readonly pins?: unknown } };
  const pins = Object(carried).pins;
  return Array.isArray(pins) ? pins.length : 0;
}

const LABEL_WIDTH = 12;

type ReceiptRow = readonly [name: string, value: string];

/** It comes from a file, and other programs write files, too: what is not there is not told. */
function buildReceiptRows(receipt: Receipt, entry: CompactionEntry): readonly ReceiptRow[] {
  const { reason, by, route, tokens, bytes, calls, cost, durationMs, covered, kept, findings } = receipt;
  const limitNote = typeof tokens.limit !== "number" ? "" : `; more than ${formatNumber(tokens.limit)} is too much`;
  const expense = [formatCount(calls, "call"), ...(cost > 0 ? [formatCost(cost)] : []), formatSeconds(durationMs)].join(
    ", ",
  );
  return [
    ["why", (Object.hasOwn(REASON_TEXTS, reason) && REASON_TEXTS[reason]) || `${reason}`],
    ["told by", `${by ?? (route === "hook" ? "a hook" : "code alone")}: ${expense}`],
    ["tokens", `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)}${limitNote}`],
    ["bytes", `${formatBytes(bytes.before)} → ${formatBytes(bytes.after)}`],
    ["dropped", `the oldest ${formatCount(covered.count, "entry", "entries")}; the agent and /tree still find them`],
    ["kept", `the newest ${formatCount(kept.count, "entry", "entries")}, as they were said`],
    ["pinned", `${formatNumber(countPins(entry))}, word for word`],
    ...findings.map(({ note }): ReceiptRow => ["found", note]),
  ];
}

const REASON_TEXTS: Readonly<Partial<Record<Receipt["reason"], string>>> = {
  asked: "somebody asked for it",
  due: "the context was full",
  overflow: "the provider refused the context as too long",
  "model-switch": "the next model sees less at once",
};

/** Null where not all that is shown of it is there: other programs write files, too. */
export function readCompleteReceipt(entry: CompactionEntry): Receipt | null {
  const receipt = readReceipt(entry);
  if (!receipt) return null;
  const { tokens, bytes, covered, kept, calls, cost, durationMs, findings, by } = receipt as Partial<Receipt>;
  const figures = [tokens?.before, bytes?.before, bytes?.after, covered?.count, kept?.count, calls, cost, durationMs];
  const hasFigures = figures.every((figure) => typeof figure === "number") && (by === null || typeof by === "string");
  const hasNotes = Array.isArray(findings) && findings.every((finding) => typeof Object(finding).note === "string");
  return hasFigures && hasNotes ? receipt : null;
}

export function renderCompaction(block: CompactionBlock, context: RenderContext): readonly string[] {
  const { theme, width } = context;
  const mark = block.isUndone ? theme.dim("≡") : theme.accent("≡");
  const heading = `${mark} ${truncateLine(formatHeading(block), { width: width - 2, indent: "", style: theme.strong })}`;
  const warnings = block.warnings.flatMap((warning) =>
    wrapText(truncate(warning, MAX_WARNING_CHARS), { width, prefix: theme.warning("! "), style: theme.warning }),
  );
  const body = context.isUnfolded ? renderReceipt(block.entry, context) : [];
  return [
    heading,
    ...wrapText(formatBalance(block.entry), { width, style: theme.dim }),
    ...warnings,
    ...body,
    ...renderKeyHints(block, context),
  ];
}

/** Of what should be known, no more than one reads in passing. */
const MAX_WARNING_CHARS = 300;

function formatHeading({ entry, isUndone }: CompactionBlock): string {
  const receipt = readCompleteReceipt(entry);
  const before = formatNumber(receipt?.tokens.before ?? entry.tokensBefore);
  const size = receipt ? `${before} → ${formatNumber(receipt.tokens.after)} tokens` : `${before} tokens before`;
  // Who serves it stands in the receipt.
  const model = receipt?.by?.slice(receipt.by.lastIndexOf("/") + 1);
  const author = receipt ? ` · told by ${model ?? (receipt.route === "hook" ? "a hook" : "code alone")}` : "";
  const cost = receipt && receipt.cost > 0 ? ` · ${formatCost(receipt.cost)}` : "";
  return `${isUndone ? "compaction, undone" : "compacted"}: ${size}${cost}${author}`;
}

function formatBalance(entry: CompactionEntry): string {
  const receipt = readCompleteReceipt(entry);
  if (!receipt) return "all that it stands for is still in the log";
  const pins = countPins(entry);
  return [
    `dropped the oldest ${formatCount(receipt.covered.count, "entry", "entries")}, all recoverable`,
    `kept the newest ${formatNumber(receipt.kept.count)}`,
    pins === 0 ? "no pins" : formatCount(pins, "pin"),
  ].join(" · ");
}

/** Only while they still do what they say. */
function renderKeyHints({ isUndone }: CompactionBlock, context: RenderContext): readonly string[] {
  if (!isLive(context)) return [];
  const hints = [
    formatKeyHint("undoCompaction", isUndone ? "brings it back" : "undoes it", context.keymap),
    formatKeyHint("seen", "what the model sees now", context.keymap),
    formatKeyHint("fold", context.isUnfolded ? "closes the receipt" : "the receipt", context.keymap),
  ].filter((text) => text !== "");
  return hints.length === 0
    ? []
    : [truncateLine(hints.join(" · "), { width: context.width, style: context.theme.dim })];
}
