/** Runs one compaction inside a run. It must not change the model, the thinking level, the tools or the system prompt. */

import {
  type Budget,
  buildRequest,
  type CompactionOutcome,
  compact,
  type Entry,
  type Model,
  modelSummarizer,
  type Receipt,
  type Session,
  textTokens,
} from "@pith/context";
import {
  computeReplyBudget,
  mergeSystemMessages,
  type prepareSummary,
  type SummaryProgress,
  sanitizeLine,
} from "@pith/context/host";
import type { AgentHooks, AgentOptions } from "../agent-options.ts";
import { appendEntries } from "../append-entries.ts";
import { runWithEvents } from "../async.ts";
import type { AgentCompactionOutcome, AgentEvent, SummarySource } from "../events.ts";
import type { HookContext } from "../hooks/hooks.ts";
import type { NoticeHistory } from "../notices.ts";
import { reattachSkills } from "../prompt/attach-skills.ts";
import type { Tool } from "../tool.ts";
import { COMPACTION_REASONS, compactionEndEvents } from "./outcome-events.ts";
import type { PreparationSlot } from "./preparation-slot.ts";
import { rereadFiles } from "./reread-files.ts";

type CompactionTrigger = Receipt["reason"];

/** What a compaction inside a run needs. */
export interface CompactionContext extends HookContext<AgentHooks>, CompactionOptions {
  readonly notices: NoticeHistory;
  readonly preparation: PreparationSlot;
  /** The limits of the current model, or of another one. */
  readonly getBudget: (model?: Model) => Budget;
}

type CompactionOptions = Pick<AgentOptions, "model" | "tools" | "skillFiles" | "rereadFiles" | SummaryOptionName>;
type SummaryOptionName = "instructions" | "summarizers" | "summarizerOrder";

export interface CompactionRequest {
  readonly reason: CompactionTrigger;
  /** How often the same request was refused before. Each compaction starts at a further compaction level. */
  readonly attempt?: number;
  readonly instructions?: string;
  readonly firstKeptEntryId?: string;
  readonly fromOriginals?: boolean;
  /** Default: the budget of the current model. */
  readonly budget?: Budget;
}

export async function* compactInRun(
  run: CompactionContext,
  request: CompactionRequest,
): AsyncGenerator<AgentEvent, AgentCompactionOutcome> {
  const { session, hooks, runtime, signal } = run;
  const { fromOriginals = false, ...compactRequest } = request;
  const summaryOptions = describeSummary(run, request);
  const reason = COMPACTION_REASONS[request.reason];
  const startedAt = runtime.now();
  // RUN14: the session counts as compacting from `compaction_start` on.
  const releasePreparation = session.markBusy("compacting");
  try {
    yield { type: "compaction_start", reason };
    if (!usesPrepared(request)) await run.preparation.drop();
    await session.loadState();
  } finally {
    releasePreparation();
  }
  const { leaf, branch: branchBefore } = session;
  const originals = fromOriginals ? await session.branchEntries() : undefined;
  const setupBefore = describeSetup(session);
  const qualityFacts = {
    hasSummarizers: summaryOptions.summarizers.length > 0,
    wasCompactedBefore: session.branch.compactionIndex >= 0,
  };
  const preparation = run.preparation.take();
  const writtenEntries: Entry[] = [];
  const stopWatching = session.watch((entries) => void writtenEntries.push(...entries));
  const result = yield* runWithEvents<AgentEvent, CompactionOutcome>(async (emit) => {
    const progress = (step: SummaryProgress): void => emit(progressEvent(step, { source: "compaction", reason }));
    // PREP2: a summary that is not ready yet is awaited, instead of a second one.
    const prepared = preparation?.take({ signal, showProgress: progress });
    try {
      return await compact({
        session,
        hooks,
        runtime,
        signal,
        budget: run.getBudget(),
        ...compactRequest,
        ...summaryOptions,
        ...(originals && { originals }),
        ...(prepared && { prepared }),
        progress,
      });
    } finally {
      stopWatching();
    }
  });
  const outcome = addEntryFields(result, session);
  if (outcome.type === "postponed" || outcome.type === "cancelled") run.preparation.putBack(preparation);
  else await preparation?.removeSaved();
  // FIT3
  if (describeSetup(session) !== setupBefore && !wasSetupChanged(session, leaf))
    throw new Error("the compaction changed the model, the thinking level, the tools or the system prompt");
  run.notices.clearSkip();
  const durationMs = Math.max(0, runtime.now() - startedAt);
  // EVT5: these events come first, because the appends below may fail.
  yield* compactionEndEvents(outcome, {
    ...qualityFacts,
    reason: request.reason,
    durationMs,
    writtenEntries,
    compaction: result,
  });
  if (outcome.type !== "compacted") return outcome;
  await appendOngoingWork(run.tools, session);
  const budgetedRequest = { ...request, budget: request.budget ?? run.getBudget() };
  await reattachSkills(run, budgetedRequest);
  await rereadFiles(run, { ...budgetedRequest, branchBefore, tokensBefore: outcome.receipt.tokens.before });
  return outcome;
}

/** PREP4: a compaction on request or for another model needs a summary of its own. */
function usesPrepared({ reason, attempt = 0 }: CompactionRequest): boolean {
  return reason === "due" || (reason === "overflow" && attempt === 0);
}

export function progressEvent(progress: SummaryProgress, source: SummarySource): AgentEvent {
  switch (progress.step) {
    case "waiting": {
      const { attempt, delayMs, errorMessage } = progress;
      return { type: "summarization_retry_scheduled", ...source, attempt, delayMs, errorMessage };
    }
    case "asking-again":
      return { type: "summarization_retry_attempt_start", ...source };
    case "answered":
      return { type: "summarization_retry_finished", ...source };
    default:
      return source.source === "compaction"
        ? { type: "compaction_progress", reason: source.reason, ...progress }
        : { type: "branch_summary_progress", ...progress };
  }
}

/** Who writes a summary, with which instructions, and how requests are built. The same for a summary that is prepared. */
export function describeSummary(
  run: CompactionContext,
  request: Pick<CompactionRequest, "instructions">,
): Required<Pick<SummaryOptions, "summarizers">> &
  Pick<SummaryOptions, "summarizerOrder" | "instructions" | "requests"> {
  const { model, runtime, summarizerOrder } = run;
  const summarizers = run.summarizers ?? [modelSummarizer(model, { runtime })];
  return {
    summarizers,
    summarizerOrder,
    instructions: mergeInstructions(run, request),
    requests: describeRequests(run),
  };
}

type SummaryOptions = Parameters<typeof prepareSummary>[0];

/**
 * How requests are built, so that the model can summarize after its last one. Nothing if hooks may change them: a context hook changes
 * the messages, and headers of a hook are not sent with a summary.
 */
function describeRequests(run: CompactionContext): SummaryOptions["requests"] {
  const { hooks, model, session } = run;
  const changingHooks = [hooks.context, hooks.context_with_system, hooks.before_provider_request];
  if (changingHooks.some((each) => each?.length)) return undefined;
  const replyBudget = computeReplyBudget(session.branch, {
    budget: run.getBudget(),
    maxTokens: model.maxTokens,
  });
  return {
    model,
    build: (context) => ({ ...buildRequest(context, { model }), ...(replyBudget && { replyBudget }) }),
  };
}

/** The general instructions come first, then those of this request. */
function mergeInstructions(
  { instructions: general, session }: CompactionContext,
  { instructions: requested }: Pick<CompactionRequest, "instructions">,
): string | undefined {
  const texts = [general, requested].filter((text) => text !== undefined && text.trim() !== "");
  return texts.length === 0 ? undefined : session.redact(texts.join("\n\n"));
}

/** The model, the thinking level, the tools and the system prompt according to the log. */
function describeSetup(session: Session): string {
  const { model, thinkingLevel, activeTools } = session.branch.state;
  const { content, sections, toolsAdded } = mergeSystemMessages(session.branch) ?? {};
  return JSON.stringify([model, thinkingLevel, activeTools, content, sections, toolsAdded]);
}

/** Whether the host changed the setup during the compaction. */
function wasSetupChanged(session: Session, leafBefore: string | null): boolean {
  const { entries, compactionIndex } = session.branch;
  const leafIndex = entries.findLastIndex(({ id }) => id === leafBefore);
  return entries
    .slice((leafIndex >= 0 ? leafIndex : compactionIndex) + 1)
    .some(({ type }) => SETUP_ENTRY_TYPES.includes(type));
}

const SETUP_ENTRY_TYPES: readonly Entry["type"][] = ["model_change", "thinking_level_change", "active_tools_change"];

function addEntryFields(result: CompactionOutcome, session: Session): AgentCompactionOutcome {
  if (result.type !== "compacted") return result;
  const entry = session.branch.entries.find(({ id }) => id === result.id);
  if (entry?.type !== "compaction") throw new Error(`the compaction ${result.id} is not on the branch`);
  const { summary, firstKeptEntryId, tokensBefore, details } = entry;
  const estimatedTokensAfter = result.receipt.tokens.after;
  const fields = { summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter };
  return { ...result, ...fields, ...(details !== undefined && { details }) };
}

/** Lists running jobs, because the compaction may have covered the calls that started them. */
async function appendOngoingWork(tools: readonly Tool[], session: Session): Promise<void> {
  const lines = tools.flatMap((tool) => tool.ongoing?.()?.split("\n") ?? []);
  if (lines.length === 0) return;
  const content = formatOngoingWork(lines);
  await appendEntries(session, { type: "custom_message", customType: ONGOING_TYPE, content, display: false });
}

/** LED13: long lines are cut, and of many only the newest are listed. */
export function formatOngoingWork(lines: readonly string[]): string {
  const shown = lines.slice(-MAX_ONGOING_LINES);
  const listed = lines.length > shown.length ? ` (${shown.length} of ${lines.length})` : "";
  const texts = ONGOING_LINE_CHARS.map((maxChars) =>
    [`Still running${listed}:`, ...shown.map((line) => sanitizeLine(line, maxChars))].join("\n"),
  );
  return texts.find((text) => textTokens(text) <= MAX_ONGOING_TOKENS) ?? texts.at(-1) ?? "";
}

/** With the last checks and the running sub-agents, at most 120 tokens. */
const MAX_ONGOING_TOKENS = 24;
const MAX_ONGOING_LINES = 2;
const ONGOING_LINE_CHARS: readonly number[] = [120, 60, 40, 20, 12];
const ONGOING_TYPE = "pith.ongoing";
