/** Renders a compaction: a headline, its balance, the files read again, warnings, and the full receipt if the block is unfolded. */

import type { CompactionEntry } from "@pith/context";
import { truncate } from "@pith/host/text/safe-text";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { findFreedShare, formatBalance, formatHeadline, listReceiptRows } from "../../../text/compaction-text.ts";
import type { CompactionBlock } from "../state/blocks.ts";
import { renderFoldable, truncateLine, wrapText } from "./text.ts";
import { isLive, type RenderContext } from "./theme.ts";

export function renderCompaction(block: CompactionBlock, context: RenderContext): readonly string[] {
  const { theme, width } = context;
  const mark = block.isUndone ? theme.dim("≡") : theme.accent("≡");
  const heading = `${mark} ${truncateLine(`${block.isUndone ? "compaction (undone)" : "compacted"}: ${formatHeadline(block.entry)}`, { width: width - 2, indent: "", style: theme.strong })}`;
  const warnings = block.warnings.flatMap((warning) =>
    wrapText(truncate(warning, MAX_WARNING_CHARS), { width, prefix: theme.warning("! "), style: theme.warning }),
  );
  const body = context.isUnfolded ? renderReceipt(block.entry, context) : [];
  return [
    heading,
    ...renderFreedBar(block.entry, context),
    ...wrapText(formatBalance(block.entry), { width, style: theme.dim }),
    ...(block.rereadFiles === undefined ? [] : wrapText(block.rereadFiles, { width, style: theme.dim })),
    ...warnings,
    ...body,
    ...renderKeyHints(block, context),
  ];
}

const MAX_WARNING_CHARS = 300;

/** Shows how much of the context is left, and the share that the compaction freed. */
function renderFreedBar(entry: CompactionEntry, { theme, width }: RenderContext): readonly string[] {
  const freedShare = findFreedShare(entry);
  if (freedShare === null) return [];
  const cells = Math.min(MAX_BAR_CELLS, Math.max(1, width - 16));
  const leftCells = Math.min(cells, Math.max(1, Math.round(cells * (1 - freedShare))));
  const bar = `${theme.kept("█".repeat(leftCells))}${theme.free("░".repeat(cells - leftCells))}`;
  return [`  ${bar} ${Math.round(freedShare * 100)}% freed`];
}

const MAX_BAR_CELLS = 40;

function renderReceipt(entry: CompactionEntry, context: RenderContext): readonly string[] {
  const { theme, width } = context;
  const rows = (listReceiptRows(entry) ?? []).flatMap(([label, value]) =>
    wrapText(truncate(value), {
      width,
      prefix: `  ${theme.dim(label.padEnd(LABEL_WIDTH))}`,
      indent: " ".repeat(LABEL_WIDTH + 2),
    }),
  );
  const rowLimit = context.maxRows === undefined ? {} : { maxRows: Math.max(4, context.maxRows - rows.length - 3) };
  const summary = renderFoldable(
    { text: entry.summary, foldedLines: 0, end: "first", style: theme.dim },
    { ...context, ...rowLimit },
  );
  return [...rows, `  ${theme.dim("Summary sent to the model:")}`, ...summary];
}

const LABEL_WIDTH = 12;

/** Returns no hints for a printed block, because the keys no longer apply to it. */
function renderKeyHints({ isUndone }: CompactionBlock, context: RenderContext): readonly string[] {
  if (!isLive(context)) return [];
  const hints = [
    formatKeyHint("undoCompaction", isUndone ? "restore" : "undo", context.keymap),
    formatKeyHint("seen", "show what the model sees", context.keymap),
    formatKeyHint("fold", context.isUnfolded ? "hide receipt" : "show receipt", context.keymap),
  ].filter((text) => text !== "");
  return hints.length === 0
    ? []
    : [truncateLine(hints.join(" · "), { width: context.width, style: context.theme.dim })];
}
