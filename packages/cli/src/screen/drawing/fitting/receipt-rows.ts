/** A receipt, row by row: why, who, what was dropped and kept, what was found, and what the model reads instead. */

import { type CompactionEntry, type Receipt, receiptOf } from "@pith/context";
import { amount, bytesTold, costTold, counted, secondsTold } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";
import type { Brush } from "../brush.ts";
import { partShown } from "../lines/part-shown.ts";
import { wrapped } from "../lines/wrapped.ts";

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
  const receipt = receiptOf(entry);
  if (!receipt) return null;
  const { tokens, bytes, covered, kept, calls, cost, durationMs, findings, by } = receipt as Partial<Receipt>;
  const figures = [tokens?.before, bytes?.before, bytes?.after, covered?.count, kept?.count, calls, cost, durationMs];
  const isWhole = figures.every((figure) => typeof figure === "number") && (by === null || typeof by === "string");
  const isTold = Array.isArray(findings) && findings.every((finding) => typeof Object(finding).note === "string");
  return isWhole && isTold ? receipt : null;
}
