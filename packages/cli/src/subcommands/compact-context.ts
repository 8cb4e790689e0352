/** Implements `pith compact` and `pith context`: compacts a session, previews its compaction, or reports what fills its context window. */

import { homedir } from "node:os";
import type { CompactRequest } from "@pith/agent";
import {
  type Budget,
  type CompactionPreview,
  createBudget,
  type LoadedBranch,
  previewCompaction,
  type Receipt,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openCatalogue } from "@pith/host/models/catalogue";
import { openWindowStore, resolveSummaryModels, selectModel } from "@pith/host/models/open-model";
import { requiresSandbox } from "@pith/host/policy/policy";
import { validateSetting } from "@pith/host/settings/fields";
import type { KeySources } from "@pith/host/settings/provider-keys";
import { createVault } from "@pith/host/settings/secrets";
import { createLimitsForModel, type Settings } from "@pith/host/settings/settings";
import { formatCost, formatCount, formatNumber } from "@pith/host/text/format";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { type Catalogue, providers, readContextWindow } from "@pith/models";
import { buildApp } from "../app/build.ts";
import { parseCliArgs } from "../args/args.ts";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import type { CommandResult } from "../commands/command.ts";
import { reportCompaction, reportNoPlan } from "../commands/compact.ts";
import { toPlanRequest } from "../commands/compact-request.ts";
import { computePreviewStats, type PreviewStats, readSummarizerChoice } from "../context-report/compaction-preview.ts";
import { buildContextReport, formatContextReport } from "../context-report/report.ts";
import { createRedaction, findEntry } from "../sessions/entries.ts";
import {
  type FailedOutcome,
  findAndReadSession,
  findWritableSession,
  formatSessionArgument,
} from "../sessions/find-session.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { describeMessages, formatReceipt } from "../text/compaction-text.ts";
import { abortOnSignals } from "../text/process-io.ts";

export async function runCompact(call: SubcommandCall): Promise<SubcommandResult> {
  const { cwd, home, environment, flags, notify } = call;
  const resolved = await resolveCallSettings(call);
  if (resolved.type === "mistake") return resolved;
  const found = await findWritableSession(call.arguments[0] ?? "", call);
  if (found.type === "mistake") return found;
  // Opens the session like `pith -p --session`, so that the compaction gets the same parts as in a resumed session.
  const parsed = parseCliArgs(["-p", `--session=${found.path}`, "--no-context-files", "--no-skills"]);
  if (parsed.type !== "args") return usageError(`${found.path} cannot be passed on a command line`);
  // No tool runs, so no sandbox is needed. A policy that requires one still gets it.
  const { policy } = resolved.settings;
  const settings: Settings = {
    ...resolved.settings,
    ...parsed.args.overrides,
    ...(!requiresSandbox(policy) && { sandbox: "off" as const }),
  };
  const vault = await createVault({ home, environment, settings });
  const app = await buildApp(parsed.args, { cwd, home, userHome: homedir(), environment, settings, vault });
  if (app.type === "failed") return app.code === 1 ? app : usageError(app.message);
  const { agent, close } = app;
  const request = await parseCompactFlags(flags, agent.session);
  if (request.type === "mistake") {
    await close();
    return request;
  }
  const getSignalExitCode = abortOnSignals(agent);
  notify(`· compacting with ${agent.model.provider}/${agent.model.model}`);
  const { instructions } = flags;
  const compaction = agent.compact({ ...request, ...(typeof instructions === "string" && { instructions }) });
  const outcome = await compaction.finally(close);
  if (outcome.type === "cancelled")
    return {
      type: "success",
      text: "Cancelled. The session is unchanged.",
      data: outcome,
      code: getSignalExitCode() ?? 1,
    };
  if (outcome.type !== "compacted") return toSubcommandResult(reportCompaction(outcome));
  const { id } = agent.session.store.header;
  const undoCommand = `pith -p --session ${formatSessionArgument({ id, path: found.path }, home)} /undo`;
  const text = `Compacted: ${formatReceipt(outcome.receipt)}. To undo it, run: ${undoCommand}`;
  return { type: "success", text, data: outcome.receipt };
}

async function parseCompactFlags(
  { "up-to": entryName, "from-originals": fromOriginals }: SubcommandCall["flags"],
  session: Session,
): Promise<({ readonly type: "read" } & CompactRequest) | UsageError> {
  const found = typeof entryName === "string" ? await findEntry(entryName, session) : null;
  if (found?.type === "mistake") return found;
  return { type: "read", fromOriginals: fromOriginals === true, ...(found && { firstKeptEntryId: found.entry.id }) };
}

function toSubcommandResult(result: CommandResult): SubcommandResult {
  switch (result.type) {
    case "success":
      return { type: "success", text: result.text, data: result.data };
    case "mistake":
    case "failed":
      return result;
    case "prompt":
    case "opened":
    case "draft":
    case "quit":
      throw new Error(`a subcommand cannot return ${result.type}`);
  }
}

async function resolveCallSettings({
  flags: { model },
  cwd,
  home,
  environment,
}: SubcommandCall): Promise<{ readonly type: "resolved"; readonly settings: Settings } | UsageError> {
  const error = model === undefined ? null : validateSetting(["model"], model);
  if (error !== null) return usageError(`--model ${error}`);
  const overrides = typeof model === "string" ? { model } : {};
  const effective = await resolveSettings({ overrides, trustsProject: false }, { cwd, home, environment });
  return effective.type === "mistake"
    ? effective
    : await resolveSummaryModels(effective.settings, { home, environment });
}

type PreviewRequest = Awaited<ReturnType<typeof toPlanRequest>>;

export interface LoadedContext {
  readonly type: "read";
  readonly id: string;
  /** The argument that names this session on a command line. */
  readonly sessionRef: string;
  readonly branch: LoadedBranch;
  readonly budget: Budget;
  /** What the flags of the call ask of a compaction. */
  readonly request: PreviewRequest | UsageError;
  /** As `provider/model`. */
  readonly model: string;
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  /** The longest answer of the model. */
  readonly maxTokens: number;
}

/** Sends no request and needs no API key. */
async function loadContext(call: SubcommandCall): Promise<LoadedContext | UsageError | FailedOutcome> {
  const resolved = await resolveCallSettings(call);
  if (resolved.type === "mistake") return resolved;
  return await findAndReadSession(call.arguments[0] ?? "", call, async (store): Promise<LoadedContext | UsageError> => {
    const session = await Session.open(store, nodeRuntime);
    await session.loadState();
    const { branch } = session;
    const lastModel = branch.state.model && `${branch.state.model.provider}/${branch.state.model.modelId}`;
    if (!resolved.settings.model && !lastModel)
      return usageError("this session has not used a model yet; specify one with --model");
    const { catalogue } = await openCatalogue(call.home);
    const selection = await selectModel(resolved.settings, {
      ...call,
      catalogue,
      previousModel: lastModel ?? undefined,
    });
    if (selection.type === "mistake") return selection;
    const model = selection.name;
    const { id } = store.header;
    const sessionRef = formatSessionArgument({ id, path: store.path }, call.home);
    const { settings } = resolved;
    const request = await parseCompactFlags(call.flags, session);
    return {
      type: "read",
      request: request.type === "mistake" ? request : await toPlanRequest(request, session),
      id,
      sessionRef,
      branch,
      model,
      settings,
      catalogue,
      ...(await resolveModelLimits(model, { ...call, settings, catalogue })),
    };
  });
}

/** A window that an earlier session learned counts as it does in the session. */
async function resolveModelLimits(
  modelName: string,
  { settings, catalogue, home, environment }: Pick<LoadedContext, "settings" | "catalogue"> & KeySources,
): Promise<Pick<LoadedContext, "budget" | "maxTokens">> {
  const { compaction, contextWindow, baseUrl } = settings;
  const [providerName = "", ...modelParts] = modelName.split("/");
  const provider = providers.find((candidate) => candidate.id === providerName);
  const providerId = provider?.canonicalId ?? providerName;
  const model = modelParts.join("/");
  const { facts } = catalogue.facts(providerId, model, { local: provider?.isLocal === true });
  const target = { api: provider?.api ?? "", provider: providerId, model };
  const { tokens: windowTokens } = await readContextWindow(
    {
      provider: providerName,
      model,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(baseUrl !== undefined && { baseUrl }),
    },
    { environment, catalogue, windowStore: openWindowStore(home) },
  );
  return {
    budget: createBudget(createLimitsForModel(compaction)(target), { contextWindow: windowTokens, model: target }),
    maxTokens: facts.maxTokens,
  };
}

export async function runContext(call: SubcommandCall): Promise<SubcommandResult> {
  const loaded = await loadContext(call);
  if (loaded.type !== "read") return loaded;
  const { branch, budget, id, model } = loaded;
  const report = buildContextReport(branch, budget);
  return { type: "success", text: formatContextReport(report), data: { id, model, ...report } };
}

/** Changes nothing and sends no request. */
export async function runCompactPreview(call: SubcommandCall): Promise<SubcommandResult> {
  const loaded = await loadContext(call);
  if (loaded.type !== "read") return loaded;
  if ("type" in loaded.request) return loaded.request;
  // The preview quotes the conversation, which another program may have stored without redaction.
  return (await createRedaction(call)).redact(createPreviewResult(loaded.request, loaded));
}

function createPreviewResult(request: PreviewRequest, loaded: LoadedContext): SubcommandResult {
  const preview = previewCompaction(loaded.branch, loaded.budget, request);
  if (preview.type !== "planned") return toSubcommandResult(reportNoPlan(preview));
  const { settings, budget, maxTokens, catalogue } = loaded;
  const { api = "", provider = "", model = "" } = budget.model ?? {};
  const currentModel = { api, provider, model, contextWindow: budget.contextWindow, maxTokens };
  const stats = computePreviewStats(preview, readSummarizerChoice(settings, currentModel, catalogue));
  const { receipt, summaryText: summary } = preview;
  const { costUsd: price, summarizer } = stats;
  const { leavingMessages } = preview;
  const data = { id: loaded.id, model: loaded.model, summarizer, receipt, summary, price, leavingMessages };
  return { type: "success", text: formatPreview(preview, { loaded, stats }), data };
}

function formatPreview(
  { plan, receipt, summaryText: summary }: Extract<CompactionPreview, { type: "planned" }>,
  { loaded, stats }: { readonly loaded: LoadedContext; readonly stats: PreviewStats },
): string {
  const { tokens, covered, kept } = receipt;
  const pinCount = loaded.branch.state.pins.length;
  const messages = stats.userMessages && describeMessages(stats.userMessages);
  return [
    `${formatNumber(tokens.before)} → about ${formatNumber(tokens.after)} tokens`,
    `Kept: ${formatEntryCount(kept.count)}${plan.shortenings.length > 0 ? `, ${plan.shortenings.length} of them shortened` : ""}${plan.removals.length > 0 ? `, ${formatCount(plan.removals.length, "outdated tool result")} removed` : ""}`,
    ...(messages === null ? [] : [messages]),
    ...(pinCount === 0 ? [] : [`Pins: ${formatNumber(pinCount)}, word for word`]),
    `Summarized: ${formatEntryCount(covered.count)}${receipt.fromOriginals ? " from the originals" : ""}${formatRange(covered)}`,
    ...receipt.findings.filter(({ code }) => code === "cut-moved").map(({ note }) => `Note: ${note}`),
    `All entries stay in the session (pith sessions show ${loaded.sessionRef} --entry ID)`,
    formatPrice(stats),
    "",
    "Preview of the summary message (the model's summary will replace the list of turns):",
    "",
    summary.trim(),
  ].join("\n");
}

function formatPrice({ costUsd, summarizer }: PreviewStats): string {
  if (summarizer === null) return "Cost: none; the summary is built without a model";
  return costUsd === null
    ? `Cost: unknown for ${summarizer}`
    : `Cost: about ${formatCost(costUsd)} with ${summarizer}; more if the summary must be corrected`;
}

function formatRange({ first, last }: Receipt["covered"]): string {
  return first === null || last === null ? "" : `, from ${escapeLineBreaks(first)} to ${escapeLineBreaks(last)}`;
}

const formatEntryCount = (count: number): string => formatCount(count, "entry", "entries");
