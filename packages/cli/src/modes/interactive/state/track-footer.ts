/** Keeps the footer and the hint about a compaction current. Refreshes them when they may have changed, never while a reply streams. */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  type Budget,
  type CompactionEntry,
  compactionDue,
  contextSize,
  type Entry,
  type LoadedBranch,
  readReceipt,
  type Session,
} from "@pith/context";
import { MARK_CODES, MOVE_TYPE } from "@pith/context/host";
import { createGitHeadReader, formatGitHead, type GitHeadReader } from "@pith/host/git-branch";
import { formatCount, formatNumber } from "@pith/host/text/format";
import { computeMeterParts, computeRawParts } from "../../../context-report/meter.ts";
import { readOutline } from "../../../sessions/read-outline.ts";
import { CompactionCounter, type CompactionCounts, SessionCost } from "../../../sessions/session-stats.ts";
import { createOutline, extendOutline, type Outline } from "../../../sessions/tree-outline.ts";
import type { Keymap } from "../../../settings/keymap.ts";
import { keyHint } from "../../../settings/keymap.ts";
import type { SessionScreen } from "../screen-context.ts";
import { buildFooterData, type ContextMeter, emptySlowData, type FooterApp, type SlowFooterData } from "./footer.ts";

/** Uses the estimator of `/context` and the compaction trigger, so that the figures agree. */
export function buildContextMeter(
  branch: LoadedBranch,
  budget: Budget,
  { isSummaryReady = false }: { readonly isSummaryReady?: boolean } = {},
): ContextMeter {
  const state = compactionDue(branch, budget);
  const limit = Number.isFinite(budget.limit) ? budget.limit : null;
  const { enabled, soft } = budget.limits;
  return {
    tokens: state.size.tokens,
    isEstimate: state.size.isEstimate,
    contextWindow: budget.contextWindow,
    limit,
    softLimit: limit === null ? null : Math.floor(limit * soft),
    isAutoCompactEnabled: enabled,
    pauseReason: state.type === "not-due" && state.why !== "fits" ? state.why : null,
    isSummaryReady,
    parts: computeMeterParts(branch, budget),
  };
}

/** Returns null if there is only one branch. Reads in pieces, so that typing is not blocked. */
export async function findTreePosition({ store, leaf, branch }: Session): Promise<string | null> {
  let outline = createOutline(leaf);
  for await (const update of readOutline({
    store,
    leaf,
    knownEntries: branch.entries,
    maxEntries: MAX_OUTLINE_ENTRIES,
  }))
    outline = extendOutline(outline, update);
  return formatTreePosition(outline);
}

/** Only this many entries of a longer session are read. */
const MAX_OUTLINE_ENTRIES = 5_000;

/** A branch ends with a visible entry that no other visible entry follows. */
function formatTreePosition(outline: Outline): string | null {
  const visibleEntries = [...outline.nodes.values()].filter(({ kind }) => kind !== "other");
  const parentIds = new Set(visibleEntries.map(({ parentId }) => findVisibleEntry(outline, parentId)));
  const branchCount = visibleEntries.filter(({ id }) => !parentIds.has(id)).length;
  if (branchCount < 2) return null;
  const isAtEnd = !parentIds.has(findVisibleEntry(outline, outline.leaf));
  return `${isAtEnd ? "" : "not at the end of a branch · "}${branchCount}${outline.status === "truncated" ? "+" : ""} branches`;
}

/** Returns the entry itself, or its nearest visible ancestor. */
function findVisibleEntry({ nodes }: Outline, startId: string | null): string | null {
  let id = startId;
  for (let node = nodes.get(id ?? ""); node?.kind === "other"; node = nodes.get(id ?? "")) id = node.parentId;
  return id;
}

export interface CompactionHintOptions {
  /** Counts on the branch of the compaction, including it. */
  readonly counts: CompactionCounts;
  readonly keymap?: Keymap | undefined;
  /** During a run the receipt is soon printed, and its key hints are then gone. */
  readonly isRunning?: boolean;
}

/** Formats one line about a new compaction. Null if its receipt already says everything. */
export function formatCompactionHint(
  compaction: CompactionEntry,
  { counts, keymap, isRunning }: CompactionHintOptions,
): string | null {
  const receipt = readReceipt(compaction);
  if (!receipt) return null;
  const seenKey = keyHint("seen", keymap) ?? "/seen";
  const markedLines = receipt.findings.filter(({ code }) => MARK_CODES.has(code)).length;
  const isRepeated = counts.compactions > 1;
  const sentences = [
    ...(isRepeated ? [formatCounts(counts)] : []),
    ...(receipt.route === "model-free" ? [`${MODEL_FREE_NOTICE} ${seenKey} shows it.`] : []),
    ...(markedLines > 0
      ? [`${formatMarkedLines(markedLines)} ${seenKey} shows ${markedLines === 1 ? "it" : "them"}.`]
      : []),
  ];
  if (sentences.length > 1) return sentences.join(" ");
  if (isRepeated) return `${sentences[0]} ${HANDOFF_HINT}`;
  if (sentences[0]) return sentences[0];
  const undoKey = keyHint("undoCompaction", keymap) ?? "/undo";
  return isRunning ? `Compacted. ${undoKey} undoes it; ${seenKey} shows what the model sees now.` : null;
}

/** A warning says what such a summary contains. */
const MODEL_FREE_NOTICE = "The summary was built without a model.";
const HANDOFF_HINT = "/handoff <goal> starts a new session.";

function formatCounts({ compactions, entries }: CompactionCounts): string {
  const summarizedText =
    entries === null
      ? "all entries are still searchable"
      : `${formatCount(entries, "entry", "entries")} summarized, all still searchable`;
  return `Compacted ${formatNumber(compactions)} times; ${summarizedText}.`;
}

function formatMarkedLines(count: number): string {
  const lines = `${formatCount(count, "line")} in the summary ${count === 1 ? "is" : "are"}`;
  return `${lines} marked (unconfirmed) or (not from the user).`;
}

/** Estimates tokens in small steps, so that typing is not blocked. The estimates are cached. */
async function warmTokenEstimates(branch: LoadedBranch, budget: Budget): Promise<void> {
  let deadline = performance.now() + STEP_BUDGET_MS;
  for (let count = STEP_ENTRIES; count < branch.entries.length; count += STEP_ENTRIES) {
    // Both calls continue from their cached result when the list is longer.
    const prefix = { ...branch, entries: branch.entries.slice(0, count) };
    contextSize(prefix, budget);
    if (count > branch.compactionIndex) computeRawParts(prefix, budget.model);
    if (performance.now() < deadline) continue;
    await yieldToEventLoop();
    deadline = performance.now() + STEP_BUDGET_MS;
  }
}

const STEP_ENTRIES = 50;
const STEP_BUDGET_MS = 8;

export interface FooterTracker {
  stop(): void;
}

export function trackFooter(context: SessionScreen<keyof FooterApp | "sessionPath">): FooterTracker {
  const updater = new FooterUpdater(context);
  const unsubscribe = context.app.agent.session.watch((entries) => updater.handleEntries(entries));
  updater.start().catch(ignoreError);
  return {
    stop: () => {
      unsubscribe();
      updater.stop();
    },
  };
}

/** The footer stays unchanged if the session is closed meanwhile or cannot be read. */
function ignoreError(): void {}

function isTreeMove(entry: Entry): boolean {
  return entry.type === "branch_summary" || (entry.type === "custom" && entry.customType === MOVE_TYPE);
}

/** Whether the entry brings a new measurement of the context, or invalidates the last one. */
function changesContextSize(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role === "assistant");
}

/** Entries arrive in groups. This delay combines them into one refresh. */
const REFRESH_DELAY_MS = 120;

class FooterUpdater {
  readonly #context: SessionScreen<keyof FooterApp | "sessionPath">;
  readonly #cost = new SessionCost();
  readonly #compactions = new CompactionCounter();
  readonly #readGitHead: GitHeadReader;
  #slowData: SlowFooterData = emptySlowData;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;
  #wasMoved = false;
  #isCostCounted: boolean | null = null;
  #hintNumber = 0;

  constructor(context: SessionScreen<keyof FooterApp | "sessionPath">) {
    this.#context = context;
    this.#readGitHead = createGitHeadReader(context.app.cwd);
  }

  async start(): Promise<void> {
    const { session, budget } = this.#context.app.agent;
    await warmTokenEstimates(session.branch, budget);
    await this.#readSlowData({ isMoved: true, isNamed: true });
    await this.#countCost();
  }

  /** A write during the count makes it invalid. `#refresh` then counts again, and succeeds at the latest after the run. */
  async #countCost(): Promise<void> {
    const { app } = this.#context;
    this.#isCostCounted = await this.#cost.count(app.agent.session, app.sessionPath);
    this.#scheduleRefresh();
  }

  handleEntries(entries: readonly Entry[]): void {
    this.#cost.add(entries);
    this.#updateHint(entries);
    // Plain mode prints the figures as soon as the work ends, so they cannot wait for the refresh.
    if (entries.some(changesContextSize)) this.#updateScreen();
    this.#scheduleRefresh();
    const isMoved = entries.some(isTreeMove) || this.#wasMoved;
    const isNamed = entries.some(({ type }) => type === "session_info");
    // The first entry after a move creates the branch.
    this.#wasMoved = entries.some(isTreeMove);
    if (isMoved || isNamed) this.#readSlowData({ isMoved, isNamed }).catch(ignoreError);
  }

  #updateHint(entries: readonly Entry[]): void {
    const compaction = entries.find((entry) => entry.type === "compaction");
    const hasUserMessage = entries.some((entry) => entry.type === "message" && entry.message.role === "user");
    if (!compaction && !hasUserMessage && !entries.some(isTreeMove)) return;
    // Discards an older hint whose counts are still being read.
    this.#hintNumber += 1;
    if (compaction) this.#showHint(compaction, this.#hintNumber).catch(ignoreError);
    else if (hasUserMessage) this.#context.screen.update((state) => ({ ...state, hint: null }));
  }

  async #showHint(compaction: CompactionEntry, number: number): Promise<void> {
    const { app, screen } = this.#context;
    const { isRunning, session } = app.agent;
    const counts = await this.#compactions.countTo(compaction, session.store);
    if (this.#isStopped || number !== this.#hintNumber) return;
    const hint = formatCompactionHint(compaction, { counts, keymap: screen.state.keymap, isRunning });
    if (hint !== null) screen.update((state) => ({ ...state, hint }));
  }

  #updateScreen(): void {
    if (this.#isStopped) return;
    const { app, screen } = this.#context;
    const { session, budget } = app.agent;
    const meter = buildContextMeter(session.branch, budget, app.agent);
    this.#slowData = { ...this.#slowData, cost: this.#cost.cost, meter };
    screen.update((state) => ({ ...state, footer: buildFooterData(app, this.#slowData) }));
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #scheduleRefresh(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => this.#refresh(), REFRESH_DELAY_MS).unref();
  }

  #refresh(): void {
    this.#timer = null;
    this.#slowData = { ...this.#slowData, gitBranch: formatGitHead(this.#readGitHead()) };
    this.#updateScreen();
    if (this.#isCostCounted !== false || this.#isStopped) return;
    this.#isCostCounted = null;
    this.#countCost().catch(ignoreError);
  }

  /** Reads the data that needs the disk. */
  async #readSlowData({ isMoved, isNamed }: { readonly isMoved: boolean; readonly isNamed: boolean }): Promise<void> {
    const { session, budget } = this.#context.app.agent;
    if (isMoved) await warmTokenEstimates(session.branch, budget);
    const treePosition = isMoved ? await findTreePosition(session) : this.#slowData.treePosition;
    const sessionName = isNamed ? ((await session.store.name()) ?? null) : this.#slowData.sessionName;
    this.#slowData = { ...this.#slowData, treePosition, sessionName };
    this.#scheduleRefresh();
  }
}

/** Used after a change that no entry records, such as turning off automatic compaction. */
export function refreshMeter({ app, screen }: SessionScreen<keyof FooterApp>): void {
  const { session, budget } = app.agent;
  const meter = buildContextMeter(session.branch, budget, app.agent);
  screen.update((state) => ({ ...state, footer: buildFooterData(app, { ...state.footer, meter }) }));
}
