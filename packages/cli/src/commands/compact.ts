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
import { describeBusyRefusal, formatReceipt, isCompacting, MAX_FINDINGS } from "../text/compaction-text.ts";
import { formatNumber, formatTokensOrShare } from "../text/format.ts";
import { usageError } from "../text/usage-error.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failure,
  LEAF_MOVED_MESSAGE,
  success,
} from "./command.ts";

/** Compacts even below the automatic threshold. */
export const compactCommand: Command = {
  name: "compact",
  argumentHint: "[instructions] [--preview]",
  description:
    "summarize the conversation so far; optional text says what to focus on; --preview only shows the effect",
  examples: ["/compact", "/compact keep every decision on the schema", "/compact --preview"],
  async run(args, { agent, notify }) {
    if (PREVIEW_FLAG.test(args)) return reportPreview(agent);
    if (args.startsWith("--")) return usageError(`there is no ${args.split(/\s/)[0]} here; there is --preview`);
    // During a run, the compaction waits until no request is active. The run continues after it.
    if (agent.isRunning && !isCompacting(agent)) notify?.("compacting as soon as the request under way has its answer");
    const outcome = await agent.compact(args === "" ? undefined : args);
    if (outcome.type !== "nothing-to-do" || outcome.why !== "too-short") return reportCompaction(outcome);
    const { tail } = agent.budget;
    const keepNotice = `the newest ${formatNumber(tail)} tokens are always kept ("compaction.keepRecentTokens")`;
    return success(`nothing was compacted: it is too short; ${keepNotice}`, outcome);
  },
};

/** Matches the flag anywhere in the arguments, so that a request for a preview never compacts. */
const PREVIEW_FLAG = /(?:^|\s)--preview(?=\s|$)/;

export const autocompactCommand: Command = {
  name: "autocompact",
  argumentHint: "[on|off]",
  description: "show whether and when Pith compacts automatically; on or off changes it until the program ends",
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
    `automatic compaction is ${enabled ? "on" : "off"}${isChanged ? " until this program ends" : ""}`,
    ...(isChanged ? [`to make it last: { "compaction": { "enabled": ${enabled} } } in ~/.pith/settings.json`] : []),
    enabled ? describeThreshold(limit) : "nothing is compacted unless you ask for it with /compact",
    `reserveTokens ${reserveTokens === null ? "(none)" : formatTokensOrShare(reserveTokens)}: so much of the window stays free, at most a quarter of it`,
    `keepRecentTokens ${formatTokensOrShare(keepRecentTokens)}: so much at the end stays as it was said; here ${formatNumber(tail)}`,
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
    return "nobody knows this model's window: it happens when the provider refuses a request as too long";
  return `it happens when the context has more than ${formatNumber(limit)} tokens`;
}

/** JSON has no infinity. */
const toFiniteOrNull = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

export async function undoOrRedoCompaction(action: "undo" | "redo", agent: Agent): Promise<CommandResult> {
  const receiptBefore = readNewestReceipt(agent);
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
        `undone: ${describeCompaction(receiptBefore, agent)}; /redo brings it back. ${AUTO_COMPACTION_PAUSED}`,
        outcome,
      );
    case "redone":
      return success(
        `back again: ${describeCompaction(readNewestReceipt(agent), agent)}; /undo takes it back`,
        outcome,
      );
  }
}

const AUTO_COMPACTION_PAUSED =
  "Nothing is compacted by itself until the context has grown by a tenth of the window, or the provider refuses it";

const nothingToUndoMessages = {
  "no-compaction": "there is no compaction on this branch to undo",
  "no-undo": "no compaction was undone here, or another has come since",
} as const;

function readNewestReceipt({ session: { branch } }: Agent): Receipt | null {
  const compaction = branch.entries[branch.compactionIndex];
  return compaction?.type === "compaction" ? readReceipt(compaction) : null;
}

function describeCompaction(receipt: Receipt | null, agent: Agent): string {
  const { tokens } = agent.contextUsage();
  const sizeText = `the context has about ${formatNumber(tokens)} tokens now`;
  // The findings about its summary were reported when it was created.
  return receipt
    ? `the compaction of ${formatReceipt({ ...receipt, findings: [] })}; ${sizeText}`
    : `the newest compaction; ${sizeText}`;
}

export const undoCommand: Command = {
  name: "undo",
  description: "undo the newest compaction; later messages stay on a separate branch",
  run: (_, { agent }) => undoOrRedoCompaction("undo", agent),
};

export const redoCommand: Command = {
  name: "redo",
  description: "restore the compaction that was undone last",
  run: (_, { agent }) => undoOrRedoCompaction("redo", agent),
};

export function reportCompaction(outcome: CompactionOutcome | CompactionRefusal): CommandResult {
  switch (outcome.type) {
    case "refused":
      return failure(`nothing was compacted: ${describeBusyRefusal(outcome.why)}`);
    case "compacted":
      return success(`compacted: ${formatReceipt(outcome.receipt)}; /undo takes it back`, outcome.receipt);
    case "nothing-to-do":
      return success(`nothing was compacted: ${nothingToDoMessages[outcome.why]}`, outcome);
    case "postponed":
      return success("nothing was compacted: a hook has put it off", outcome);
    case "cancelled":
      return success("the compaction was cancelled; everything is as it was", outcome);
    case "failed":
      return failure(describeFailure(outcome));
  }
}

const nothingToDoMessages: Readonly<Record<NoCompaction["why"], string>> = {
  off: 'automatic compaction is off ("compaction.enabled" in the settings, --no-auto-compact, /autocompact)',
  empty: "nothing was said yet",
  "already-compacted": "nothing was said since the last one; /undo takes that back",
  "too-short": "it is too short; all of it would be kept as it is",
  "too-little": "a summary would be about as long as what it stands for",
};

function describeFailure(compaction: Extract<CompactionOutcome, { type: "failed" }>): string {
  if (compaction.why === "cannot-fit") {
    const { fills, tokens, limit } = compaction.breaker;
    const sizeText = limit === null ? "" : ` (${formatNumber(tokens)} tokens of ${formatNumber(limit)})`;
    return `no compaction can help: ${breakerNotes[fills]}${sizeText}`;
  }
  const why = compaction.why === "leaf-moved" ? LEAF_MOVED_MESSAGE : refusalNotes[compaction.why];
  return `nothing was compacted: ${[why, ...compaction.findings.slice(0, MAX_FINDINGS).map(({ note }) => note)].join("; ")}`;
}

export function reportPreview({ session, budget }: Agent): CommandResult {
  const preview = previewCompaction(session.branch, budget);
  if (preview.type === "nothing-to-do") return reportCompaction(preview);
  if (preview.type === "cannot-fit")
    return reportCompaction({ type: "failed", why: "cannot-fit", breaker: preview.breaker });
  return success(formatPreview(preview), preview.receipt);
}

function formatPreview({ receipt, summaryText: front }: Extract<CompactionPreview, { type: "planned" }>): string {
  const { tokens, covered, kept } = receipt;
  return [
    `would cover ${covered.count} entries and keep ${kept.count}: ${formatNumber(tokens.before)} → about ${formatNumber(tokens.after)} tokens`,
    "What code alone would put in their place; a model's story would stand in it:",
    "",
    front.trim(),
  ].join("\n");
}
