/** Implements `/compact`, `/autocompact`, `/undo` and `/redo`. */

import type { Agent, CompactionRefusal } from "@pith/agent";
import {
  type CompactionOutcome,
  type CompactionPreview,
  type NoCompaction,
  previewCompaction,
  type Receipt,
  readReceipt,
  refusalNotes,
} from "@pith/context";
import { breakerNotes } from "@pith/context/host";
import type { PreviewStats } from "../context-report/compaction-preview.ts";
import { describeBusyRefusal, formatReceipt, isCompacting, MAX_FINDINGS } from "../text/compaction-text.ts";
import { formatCost, formatCount, formatNumber, formatTokensOrShare } from "../text/format.ts";
import { usageError } from "../text/usage-error.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  describeUnknownFlag,
  failure,
  LEAF_MOVED_MESSAGE,
  success,
  successInTranscript,
} from "./command.ts";

/** Compacts even below the automatic threshold. */
export const compactCommand: Command = {
  name: "compact",
  argumentHint: "[instructions] [--preview]",
  argumentValues: ["--preview"],
  description:
    "summarize the conversation so far; optional text says what to focus on; --preview only shows the effect",
  examples: ["/compact", "/compact keep every decision on the schema", "/compact --preview"],
  async run(args, context) {
    const { agent, notify } = context;
    if (isPreviewRequest(args)) return await reportPreview(context);
    if (args.startsWith("--")) return usageError(describeUnknownFlag(args.slice(2).split(/\s/)[0] ?? "", ["preview"]));
    // During a run, the compaction waits until no request is active. The run continues after it.
    if (agent.isRunning && !isCompacting(agent)) notify?.("compacting after the current request finishes");
    const outcome = await agent.compact(args === "" ? undefined : args);
    if (outcome.type !== "nothing-to-do" || outcome.why !== "too-short") return reportCompaction(outcome);
    const { tail } = agent.budget;
    const keepNotice = `The newest ${formatNumber(tail)} tokens are always kept ("compaction.keepRecentTokens").`;
    return success(`Not compacted: the conversation is too short. ${keepNotice}`, outcome);
  },
};

/** Finds the flag anywhere in the arguments, so that a request for a preview never compacts. */
export function isPreviewRequest(args: string): boolean {
  return /(?:^|\s)--preview(?=\s|$)/.test(args);
}

export const autocompactCommand: Command = {
  name: "autocompact",
  argumentHint: "[on|off]",
  argumentValues: ["on", "off"],
  description: "show whether and when Pith compacts automatically; on or off applies until you quit",
  examples: ["/autocompact", "/autocompact off"],
  async run(args, context) {
    if (args !== "" && args !== "on" && args !== "off")
      return usageError(`/autocompact takes on or off, not "${args}"`);
    if (args !== "") context.agent.setAutoCompactionEnabled(args === "on");
    return reportAutoCompaction(context, args !== "");
  },
};

function reportAutoCompaction({ agent }: CommandContext, isChanged: boolean): CommandResult {
  const { limit, tail, limits } = agent.budget;
  const { enabled } = limits;
  const reserveTokens = limits.thresholds.find(({ reserve }) => reserve !== undefined)?.reserve ?? null;
  const keepRecentTokens = limits.tail.tokens;
  const lines = [
    `Automatic compaction is ${enabled ? "on" : "off"}${isChanged ? " until you quit" : ""}.`,
    ...(isChanged
      ? [`To make it permanent, set { "compaction": { "enabled": ${enabled} } } in ~/.pith/settings.json.`]
      : []),
    enabled ? describeThreshold(limit) : "The context is compacted only when you run /compact.",
    `reserveTokens ${reserveTokens === null ? "(none)" : formatTokensOrShare(reserveTokens)}: kept free in the context window, at most a quarter of it`,
    `keepRecentTokens ${formatTokensOrShare(keepRecentTokens)}: the newest ${formatNumber(tail)} tokens are kept unchanged`,
  ];
  return success(lines.join("\n"), {
    enabled,
    limit: toFiniteOrNull(limit),
    reserveTokens,
    keepRecentTokens,
    kept: tail,
  });
}

function describeThreshold(limit: number): string {
  if (!Number.isFinite(limit))
    return "The context window is unknown: Pith compacts when the provider refuses a request as too long.";
  return `Pith compacts when the context exceeds ${formatNumber(limit)} tokens.`;
}

/** JSON has no infinity. */
const toFiniteOrNull = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

export async function undoOrRedoCompaction(action: "undo" | "redo", agent: Agent): Promise<CommandResult> {
  const outcome = await agent.undoCompaction(action);
  switch (outcome.type) {
    case "refused":
      return failure(describeBusyRefusal(outcome.why));
    case "nothing-to-do":
      return success(nothingToUndoMessages[outcome.why], outcome);
    case "failed":
      return failure(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED_MESSAGE);
    case "undone":
      return success(
        `Compaction undone. The context is back to about ${formatNumber(agent.contextUsage().tokens)} tokens. /redo restores the compaction. ${AUTO_COMPACTION_PAUSED}`,
        outcome,
      );
    case "redone":
      return success(
        `Compaction restored${formatReceiptAndSize(readNewestReceipt(agent), agent)} /undo undoes it.`,
        outcome,
      );
  }
}

const AUTO_COMPACTION_PAUSED =
  "Automatic compaction is paused until the context grows by another 10% of the window or the provider refuses a request.";

const nothingToUndoMessages = {
  "no-compaction": "There is no compaction on this branch to undo.",
  "no-undo": "There is no undone compaction to restore.",
} as const;

function readNewestReceipt({ session: { branch } }: Agent): Receipt | null {
  const compaction = branch.entries[branch.compactionIndex];
  return compaction?.type === "compaction" ? readReceipt(compaction) : null;
}

function formatReceiptAndSize(receipt: Receipt | null, agent: Agent): string {
  const { tokens } = agent.contextUsage();
  // The findings about its summary were reported when it was created.
  const receiptText = receipt ? `: ${formatReceipt({ ...receipt, findings: [] })}` : "";
  return `${receiptText}. The context now has about ${formatNumber(tokens)} tokens.`;
}

export const undoCommand: Command = {
  name: "undo",
  description: "undo the newest compaction; later messages stay on a separate branch",
  run: (_, { agent }) => undoOrRedoCompaction("undo", agent),
};

export const redoCommand: Command = {
  name: "redo",
  description: "restore the last undone compaction",
  run: (_, { agent }) => undoOrRedoCompaction("redo", agent),
};

export function reportCompaction(outcome: CompactionOutcome | CompactionRefusal): CommandResult {
  switch (outcome.type) {
    case "refused":
    case "failed":
      return failure(describeOutcome(outcome));
    case "compacted":
      return successInTranscript(`Compacted: ${formatReceipt(outcome.receipt)}. /undo undoes it.`, outcome.receipt);
    case "nothing-to-do":
    case "postponed":
    case "cancelled":
      return success(`${capitalize(describeOutcome(outcome))}.`, outcome);
  }
}

/** A clause without a capital letter and a full stop. */
export function describeOutcome(outcome: CompactionOutcome | CompactionRefusal): string {
  switch (outcome.type) {
    case "refused":
      return `not compacted: ${describeBusyRefusal(outcome.why)}`;
    case "compacted":
      return `compacted: ${formatReceipt(outcome.receipt)}`;
    case "nothing-to-do":
      return `not compacted: ${nothingToDoMessages[outcome.why]}`;
    case "postponed":
      return "not compacted: a hook postponed it";
    case "cancelled":
      return "compaction cancelled; nothing was changed";
    case "failed":
      return describeFailure(outcome);
  }
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const nothingToDoMessages: Readonly<Record<NoCompaction["why"], string>> = {
  off: 'automatic compaction is off ("compaction.enabled" in the settings, --no-auto-compact, /autocompact)',
  empty: "there are no messages yet",
  "already-compacted": "there is nothing new since the last compaction (/undo reverts that one)",
  "too-short": "the conversation is too short; all of it would be kept",
  "too-little": "a summary would be about as long as the text it replaces",
};

function describeFailure(compaction: Extract<CompactionOutcome, { type: "failed" }>): string {
  if (compaction.why === "cannot-fit") {
    const { fills, tokens, limit } = compaction.breaker;
    const sizeText = limit === null ? "" : ` (${formatNumber(tokens)} of ${formatNumber(limit)} tokens)`;
    return `compaction cannot help: ${breakerNotes[fills]}${sizeText}`;
  }
  const why = compaction.why === "leaf-moved" ? LEAF_MOVED_MESSAGE : refusalNotes[compaction.why];
  return `not compacted: ${[why, ...compaction.findings.slice(0, MAX_FINDINGS).map(({ note }) => note)].join("; ")}`;
}

async function reportPreview({
  agent: { session, budget, model },
  settings,
  home,
}: Pick<CommandContext, "agent" | "settings" | "home">): Promise<CommandResult> {
  await session.loadState();
  const preview = previewCompaction(session.branch, budget);
  if (preview.type === "nothing-to-do") return reportCompaction(preview);
  if (preview.type === "cannot-fit")
    return reportCompaction({ type: "failed", why: "cannot-fit", breaker: preview.breaker });
  const { computePreviewStats, findSummarizer } = await import("../context-report/compaction-preview.ts");
  const { openCatalogue } = await import("../models/catalogue.ts");
  const { catalogue } = await openCatalogue(home);
  const stats = computePreviewStats(preview, findSummarizer(settings, model, catalogue));
  return success(formatPreview(preview, stats), preview.receipt);
}

function formatPreview(
  { receipt, summaryText: front }: Extract<CompactionPreview, { type: "planned" }>,
  { pins, summarizer, costUsd }: PreviewStats,
): string {
  const { tokens, covered, kept } = receipt;
  const price = costUsd === null ? "at an unknown price" : `for about ${formatCost(costUsd)}`;
  return [
    `Would summarize ${formatCount(covered.count, "entry", "entries")} and keep ${formatNumber(kept.count)}: ${formatNumber(tokens.before)} → about ${formatNumber(tokens.after)} tokens.`,
    `Kept verbatim: your messages and ${pins === 0 ? "no pins" : formatCount(pins, "pin")}. Summary by ${summarizer}, ${price}.`,
    "Preview of the summary (the model's part is added later):",
    "",
    front.trim(),
  ].join("\n");
}
