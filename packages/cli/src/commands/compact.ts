/** Implements `/compact` and `/autocompact`. */

import type { CompactionRefusal } from "@pith/agent";
import {
  type Budget,
  type CompactionOutcome,
  type CompactionPreview,
  type NoCompaction,
  refusalNotes,
} from "@pith/context";
import { breakerNotes, type TokenAmount } from "@pith/context/host";
import { openCatalogue } from "@pith/host/models/catalogue";
import { formatCost, formatCount, formatNumber, formatTokenAmount, formatTokenLimit } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import type { PreviewStats } from "../context-report/compaction-preview.ts";
import {
  describeBusyRefusal,
  describeMessages,
  formatReceipt,
  isCompacting,
  MAX_FINDINGS,
} from "../text/compaction-text.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failure,
  LEAF_MOVED_MESSAGE,
  success,
  successInTranscript,
} from "./command.ts";
import type { CompactArgs } from "./compact-request.ts";

/** Compacts even below the automatic threshold. */
export const compactCommand: Command = {
  name: "compact",
  argumentHint: "[--from <entry> | --up-to <entry>] [--from-originals] [instructions] [--preview]",
  argumentValues: ["--preview", "--from", "--up-to", "--from-originals"],
  description:
    "summarize the conversation so far, or everything after an entry (--from) or before it (--up-to); --from-originals rewrites the summary from the original entries instead of from the last summary; optional text says what to focus on; --preview only shows the effect and changes nothing",
  examples: [
    ...["/compact", "/compact keep every decision on the schema", "/compact --preview"],
    ...["/compact --from #120", "/compact --up-to #340 keep the error messages", "/compact --from-originals --preview"],
  ],
  async run(args, context) {
    const { agent, notify } = context;
    const { parseCompactArgs, compactFrom } = await import("./compact-request.ts");
    const request = await parseCompactArgs(args, agent.session);
    if (request.type === "mistake") return request;
    const { instructions, isPreview, from, firstKeptEntryId, fromOriginals = false } = request;
    if (isPreview) return await reportPreview(request, context);
    if (from) {
      if (!agent.isRunning) notify?.("summarizing the entries to replace");
      return await compactFrom({ entry: from, instructions }, agent);
    }
    // During a run, the compaction waits until no request is active. The run continues after it.
    if (agent.isRunning && !isCompacting(agent)) notify?.("compacting after the current request finishes");
    const outcome = await agent.compact({
      fromOriginals,
      ...(instructions !== "" && { instructions }),
      ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    });
    if (outcome.type !== "nothing-to-do" || outcome.why !== "too-short") return reportCompaction(outcome);
    const { tail } = agent.budget;
    const keepNotice = `The newest ${formatNumber(tail)} tokens are always kept ("compaction.keepRecentTokens").`;
    return success(`Not compacted: the conversation is too short. ${keepNotice}`, outcome);
  },
};

export const autocompactCommand: Command = {
  name: "autocompact",
  argumentHint: "[on|off]",
  argumentValues: ["on", "off"],
  description: "show or set automatic compaction; on or off applies until you quit",
  examples: ["/autocompact", "/autocompact off"],
  async run(args, context) {
    if (args !== "" && args !== "on" && args !== "off")
      return usageError(`/autocompact takes on or off, not "${args}"`);
    if (args !== "") context.agent.setAutoCompactionEnabled(args === "on");
    return reportAutoCompaction(context.agent.budget, args !== "");
  },
};

function reportAutoCompaction({ limit, tail, limits }: Budget, isChanged: boolean): CommandResult {
  const { enabled } = limits;
  const reserveTokens = limits.thresholds.find(({ reserve }) => reserve !== undefined)?.reserve ?? null;
  const lines = [
    `Automatic compaction is ${enabled ? "on" : "off"}${isChanged ? " until you quit" : ""}.`,
    ...(isChanged
      ? [`To make it permanent, set { "compaction": { "enabled": ${enabled} } } in ~/.pith/settings.json.`]
      : []),
    enabled ? describeThreshold(limit) : "The context is compacted only when you run /compact.",
    `reserveTokens ${reserveTokens === null ? "(none)" : formatTokenAmount(reserveTokens)}: kept free in the context window, at most a quarter of it`,
    `keepRecentTokens ${formatTokenLimit(limits.tail)}: the newest ${formatNumber(tail)} tokens are kept unchanged`,
  ];
  return success(lines.join("\n"), {
    enabled,
    limit: toFiniteOrNull(limit),
    reserveTokens: reserveTokens && toSettingValue(reserveTokens),
    keepRecentTokens: Number.isFinite(limits.tail.tokens) ? limits.tail.tokens : limits.tail.share,
    kept: tail,
  });
}

/** The number as it stands in the settings. */
function toSettingValue(amount: TokenAmount): number {
  return "tokens" in amount ? amount.tokens : amount.share;
}

function describeThreshold(limit: number): string {
  if (!Number.isFinite(limit))
    return "The context window is unknown: Pith compacts when the provider refuses a request as too long.";
  return `Pith compacts when the context exceeds ${formatNumber(limit)} tokens.`;
}

/** JSON has no infinity. */
const toFiniteOrNull = (limit: number): number | null => (Number.isFinite(limit) ? limit : null);

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
  "already-compacted":
    "there is nothing new since the last compaction (in the session, /undo undoes it and /compact --from-originals rewrites its summary)",
  "too-short": "the conversation is too short; all of it would be kept",
  "too-little": "a summary would be about as long as the text it replaces",
};

function describeFailure(compaction: Extract<CompactionOutcome, { type: "failed" }>): string {
  if (compaction.why === "cannot-fit") {
    const { fills, tokens, limit } = compaction.breaker;
    const sizeText = limit === null ? "" : ` (${formatNumber(tokens)} of ${formatNumber(limit)} tokens)`;
    return `compaction cannot help: ${breakerNotes[fills]}${sizeText}`;
  }
  const notes = compaction.findings.slice(0, MAX_FINDINGS).map(({ note }) => note);
  return `not compacted: ${[...describeFailureReason(compaction.why), ...notes].join("; ")}`;
}

/** Empty if the findings say it all. */
function describeFailureReason(
  why: Exclude<Extract<CompactionOutcome, { type: "failed" }>["why"], "cannot-fit">,
): readonly string[] {
  if (why === "invalid-cut") return [];
  if (why === "leaf-moved") return [LEAF_MOVED_MESSAGE];
  return why === "no-summary"
    ? ["no model could rewrite the summary, so the context is unchanged; try again, or choose another model"]
    : [refusalNotes[why]];
}

async function reportPreview(
  request: CompactArgs,
  { agent, settings, home }: Pick<CommandContext, "agent" | "settings" | "home">,
): Promise<CommandResult> {
  const { planCompaction, findReplacedEntries } = await import("./compact-request.ts");
  const { computePreviewStats, computeReplacementStats, readSummarizerChoice } = await import(
    "../context-report/compaction-preview.ts"
  );
  const { from } = request;
  const replaced = from && (await findReplacedEntries(from, agent.session));
  if (replaced?.type === "mistake") return replaced;
  if (from && replaced) {
    const { catalogue } = await openCatalogue(home);
    const stats = await computeReplacementStats(replaced, agent, readSummarizerChoice({}, agent.model, catalogue));
    return success(formatReplacement(stats, replaced.place), stats);
  }
  const preview = await planCompaction(agent, request);
  if (preview.type !== "planned") return reportNoPlan(preview);
  const { catalogue } = await openCatalogue(home);
  const stats = computePreviewStats(preview, readSummarizerChoice(settings, agent.model, catalogue));
  return success(formatPreview(preview, stats), preview.receipt);
}

/** Reports why a preview has no plan, as the compaction itself would. */
export function reportNoPlan(preview: Exclude<CompactionPreview, { type: "planned" }>): CommandResult {
  switch (preview.type) {
    case "nothing-to-do":
      return reportCompaction(preview);
    case "cannot-fit":
      return reportCompaction({ type: "failed", why: "cannot-fit", breaker: preview.breaker });
    case "invalid-cut": {
      const { why, note } = preview;
      return reportCompaction({ type: "failed", why: "invalid-cut", findings: [{ code: why, note }] });
    }
  }
}

function formatPreview(
  { receipt, summaryText: front }: Extract<CompactionPreview, { type: "planned" }>,
  stats: PreviewStats,
): string {
  const { tokens, covered, kept, fromOriginals, findings } = receipt;
  const { pins, userMessages } = stats;
  const messages = userMessages && describeMessages(userMessages);
  const source = fromOriginals ? " from the originals" : "";
  const movedCut = findings.find(({ code }) => code === "cut-moved");
  return [
    `Would summarize ${formatCount(covered.count, "entry", "entries")}${source} and keep ${formatNumber(kept.count)}: ${formatTokenChange(tokens)}.`,
    ...(movedCut ? [`Note: ${movedCut.note}.`] : []),
    ...(messages === null ? [] : [`${messages}.`]),
    `${pins === 0 ? "" : `${formatCount(pins, "pin stays", "pins stay")} word for word. `}${formatAuthorAndPrice(stats)}`,
    "Preview of the summary message (the model's summary will replace the list of turns):",
    "",
    front.trim(),
  ].join("\n");
}

function formatReplacement(stats: PreviewStats, place: string): string {
  const { tokens, dropped, kept, lostPins } = stats;
  return [
    `Would replace ${formatCount(dropped.count, "entry", "entries")} ${place} with a summary and keep the ${formatNumber(kept.count)} before: ${formatTokenChange(tokens)}.`,
    ...(lostPins > 0 ? [`${describeLostPins(lostPins)}.`] : []),
    formatAuthorAndPrice(stats),
  ].join("\n");
}

/** A pin after the entry belongs to the branch that is left. */
export function describeLostPins(count: number): string {
  return `${formatCount(count, "pin stays", "pins stay")} on the branch you leave`;
}

function formatTokenChange({ before, after }: PreviewStats["tokens"]): string {
  return `${formatNumber(before)} → about ${formatNumber(after)} tokens`;
}

function formatAuthorAndPrice({ summarizer, costUsd }: PreviewStats): string {
  if (summarizer === null) return "The summary is built without a model.";
  const price = costUsd === null ? "at an unknown price" : `for about ${formatCost(costUsd)}`;
  return `Summary by ${summarizer}, ${price}.`;
}
