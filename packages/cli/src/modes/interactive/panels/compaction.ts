/** Implements `/compact` with its preview of what is dropped, kept, pinned and paid, also for everything after an entry, and `/undo` and `/redo`. */

import type { Agent, CompactRequest } from "@pith/agent";
import type { CompactionPreview, Entry, LoadedBranch } from "@pith/context";
import { entryReference, isUndoEntry } from "@pith/context/host";
import { openCatalogue } from "@pith/host/models/catalogue";
import { formatCost, formatCount, formatNumber } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { type CommandResult, success } from "../../../commands/command.ts";
import { describeLostPins, reportCompaction } from "../../../commands/compact.ts";
import {
  findReplacedEntries,
  parseCompactArgs,
  planCompaction,
  type ReplacedEntries,
  reportReplacement,
} from "../../../commands/compact-request.ts";
import { undoOrRedoCompaction } from "../../../commands/undo.ts";
import {
  computePreviewStats,
  computeReplacementStats,
  type EntryTotals,
  type PreviewStats,
  readSummarizerChoice,
  type UserMessageStats,
} from "../../../context-report/compaction-preview.ts";
import { keyHint } from "../../../settings/keymap.ts";
import { isCompacting } from "../../../text/compaction-text.ts";
import { clearActivity } from "../interrupt.ts";
import type { Theme } from "../render/theme.ts";
import type { InteractiveContext, PanelCommand, SessionScreen } from "../screen-context.ts";
import { showResult } from "../send.ts";
import { CURSOR_MARKER, truncateToWidth } from "../terminal/pi-tui.ts";
import { continueWith, finishWith, type Panel } from "./panel.ts";
import { ensureIdle, type NavigateOutcome, navigateWithProgress, showNavigateResult } from "./tree/navigate.ts";
import { createInput, editInput, type LineInput, renderHints, renderInput } from "./widgets.ts";

export interface PreviewPanelOptions {
  readonly title: string;
  readonly focus: string;
  /** What the user should know before it starts. */
  readonly notes?: readonly string[];
}

/** The answer is what the summary should focus on. It is empty if the user names nothing. */
export function createPreviewPanel(
  preview: PreviewStats,
  { title, focus, notes = [] }: PreviewPanelOptions,
): Panel<LineInput, string> {
  return {
    initialState: createInput(focus),
    handleKey: (line, key) => {
      if (key === "enter") return finishWith(line.text.trim());
      const edited = editInput(line, key);
      return edited ? continueWith(edited) : null;
    },
    render: (line, { width, height, theme }) => {
      const noteLines = notes.map((note) => ` ${theme.warning(escapeControls(note))}`);
      const lines = [
        theme.strong(` ${escapeControls(title)}`),
        renderSizes(preview, theme),
        ...renderRows(preview, theme),
        ...noteLines,
      ];
      const footerLines = [
        renderFocus(line, theme),
        renderHints(["Enter compact", "type to set a focus", "Esc cancel"], { width, theme }),
      ];
      const border = theme.border("─".repeat(width));
      return [border, ...lines.slice(0, Math.max(0, height - 3)), ...footerLines].map((row) =>
        truncateToWidth(row, width, "…"),
      );
    },
  };
}

function renderSizes({ tokens }: PreviewStats, theme: Theme): string {
  const savings =
    tokens.after < tokens.before ? theme.dim(`, ${formatNumber(tokens.before - tokens.after)} fewer`) : "";
  return ` ${formatNumber(tokens.before)} → about ${formatNumber(tokens.after)} tokens${savings}`;
}

function renderRows(
  { dropped, kept, userMessages, pins, lostPins, summarizer, costUsd: cost }: PreviewStats,
  theme: Theme,
): readonly string[] {
  const rows: readonly PreviewRow[] = [
    [
      "summarized",
      formatShare(dropped, "entry", "entries"),
      userMessages ? "searchable; /undo restores them" : "they stay on their own branch",
    ],
    ["kept", formatShare(kept, "entry", "entries"), "unchanged"],
    ...(userMessages ? describeUserMessages(userMessages) : []),
    ["pinned", formatCount(pins, "pin"), describePins(pins, lostPins)],
    ["summary by", escapeControls(summarizer ?? "no model"), cost === null ? "" : `about ${formatCost(cost)}`],
  ];
  return rows.map(
    ([name, figure, note]) => ` ${theme.dim(name.padEnd(NAME_WIDTH))} ${figure.padEnd(28)} ${theme.dim(note)}`,
  );
}

function describePins(pins: number, lostPins: number): string {
  if (lostPins > 0) return describeLostPins(lostPins);
  return pins === 0 ? "/pin keeps text verbatim" : "verbatim";
}

type PreviewRow = readonly [name: string, figure: string, note: string];

/** The columns are narrow, so the sentence of `describeMessages` is split. */
function describeUserMessages({ staying, leaving, tokens }: UserMessageStats): readonly PreviewRow[] {
  const stay = `${formatNumber(staying)} ${staying === 1 ? "stays" : "stay"} word for word`;
  const leave = `${formatNumber(leaving)} ${leaving === 1 ? "does" : "do"} not fit whole`;
  return [
    ["your messages", stay, `up to ${formatNumber(tokens)} tokens`],
    ...(leaving > 0 ? [["", leave, `the summary is asked for ${leaving === 1 ? "its" : "their"} rules`] as const] : []),
  ];
}

/** The width of the longest row name. */
const NAME_WIDTH = 13;

function formatShare({ count, tokens }: EntryTotals, singular: string, plural: string): string {
  return `${formatCount(count, singular, plural)}, ${formatNumber(tokens)} tokens`;
}

function renderFocus(line: LineInput, theme: Theme): string {
  const inputText =
    line.text === "" ? `${CURSOR_MARKER}${theme.selected(" ")}${theme.dim(" optional")}` : renderInput(line, theme);
  return ` ${theme.dim("focus".padEnd(NAME_WIDTH))} ${inputText}`;
}

/** A preview only shows: the command itself prints it. */
export const openCompact: PanelCommand = async (args, context) => {
  const { agent } = context.app;
  const request = await parseCompactArgs(args, agent.session);
  if (request.type === "mistake" || request.isPreview) return false;
  const { instructions, from } = request;
  const isAtOnce = instructions !== "";
  if (from) {
    await compactFromEntry(from, { focus: instructions, isAtOnce }, context);
    return true;
  }
  // During a compaction, the command is refused immediately and not after a preview.
  if (isAtOnce || isCompacting(agent)) return await compactOnScreen(request, context);
  const plan = await planCompaction(agent, request);
  // The command without a panel says why there is nothing to do.
  if (plan.type !== "planned") return false;
  await confirmCompaction(plan, request, context);
  return true;
};

/** Shows a plan, and compacts if the user agrees. Returns false if the user does not. */
export async function confirmCompaction(
  plan: PlannedCompaction,
  { instructions = "", ...request }: CompactRequest,
  context: InteractiveContext,
): Promise<boolean> {
  const { app, screen } = context;
  const { catalogue } = await openCatalogue(app.home);
  const stats = computePreviewStats(plan, readSummarizerChoice(app.settings, app.agent.model, catalogue));
  const notes = plan.receipt.findings.filter(({ code }) => code === "cut-moved").map(({ note }) => note);
  const panel = createPreviewPanel(stats, { title: titleOf(plan, request), focus: instructions, notes });
  const focus = await screen.showPanel(panel, { where: "inline", question: "follow-up" });
  return focus !== null && (await compactOnScreen({ ...request, instructions: focus }, context));
}

type PlannedCompaction = Extract<CompactionPreview, { type: "planned" }>;

function titleOf({ plan }: PlannedCompaction, { firstKeptEntryId, fromOriginals }: CompactRequest): string {
  const [first] = plan.kept;
  const place = firstKeptEntryId !== undefined && first ? ` up to ${entryReference(first)}` : " now";
  return fromOriginals ? `Compact${place}, with a summary from the original entries?` : `Compact${place}?`;
}

export interface CompactFromOptions {
  readonly focus: string;
  /** Whether to compact without a preview. */
  readonly isAtOnce: boolean;
}

/** Replaces everything after the entry with a summary. Files are not restored. */
export async function compactFromEntry(
  entry: Entry,
  { focus: initialFocus, isAtOnce }: CompactFromOptions,
  context: InteractiveContext,
): Promise<NavigateOutcome> {
  if (!(await ensureIdle(context))) return "cancelled";
  const { session } = context.app.agent;
  const replaced = await findReplacedEntries(entry, session);
  if (replaced.type === "mistake") {
    context.screen.showNote(`Not compacted: ${replaced.message}.`, "bad");
    return "cancelled";
  }
  const focus = isAtOnce ? initialFocus : await confirmReplacement(replaced, initialFocus, context);
  if (focus === null) return "cancelled";
  const oldLeaf = session.leaf;
  const options = { summarize: true, ...(focus !== "" && { customInstructions: focus }) };
  try {
    const result = await navigateWithProgress(entry.id, options, context);
    if (result.type === "moved") await showNavigateResult(result, entry, context);
    await showResult(withoutDraft(reportReplacement(replaced, { oldLeaf, result }, session)), context);
  } finally {
    clearActivity(context);
  }
  return "done";
}

/** `showNavigateResult` has already filled the editor. */
function withoutDraft(result: CommandResult): CommandResult {
  return result.type === "draft" ? success(result.text, null) : result;
}

/** Shows what a compaction of everything after an entry would replace. The answer is the focus; null if the user does not agree. */
async function confirmReplacement(
  replaced: ReplacedEntries,
  focus: string,
  { app, screen }: SessionScreen<"agent" | "home">,
): Promise<string | null> {
  const { catalogue } = await openCatalogue(app.home);
  const stats = await computeReplacementStats(
    replaced,
    app.agent,
    readSummarizerChoice({}, app.agent.model, catalogue),
  );
  const title = `Replace everything ${replaced.place} with a summary?`;
  return await screen.showPanel(createPreviewPanel(stats, { title, focus }), {
    where: "inline",
    question: "follow-up",
  });
}

/** The transcript shows the receipt or the failure. Only the other outcomes are reported here. */
async function compactOnScreen(request: CompactRequest, context: InteractiveContext): Promise<true> {
  const { agent } = context.app;
  if (agent.isRunning && !isCompacting(agent))
    context.screen.showNote("The context will be compacted when the current request finishes.");
  const { instructions = "", firstKeptEntryId, fromOriginals = false } = request;
  const outcome = await agent.compact({
    fromOriginals,
    ...(instructions !== "" && { instructions }),
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
  });
  if (REPORTED_OUTCOMES.has(outcome.type)) await showResult(reportCompaction(outcome), context);
  return true;
}

const REPORTED_OUTCOMES: ReadonlySet<string> = new Set(["refused", "nothing-to-do", "postponed", "cancelled"]);

/** Redoes the compaction or removal that was undone last. If none was undone, undoes the newest one. */
export const toggleCompaction: PanelCommand = (_, context) =>
  undoOrRedo(hasUndo(context.app.agent.session.branch) ? "redo" : "undo", context);

export const openUndo: PanelCommand = async (args, context) => args === "" && (await undoOrRedo("undo", context));

export const openRedo: PanelCommand = async (args, context) => args === "" && (await undoOrRedo("redo", context));

/** The transcript shows a success. A hint describes its effect on the context. */
async function undoOrRedo(action: "undo" | "redo", context: InteractiveContext): Promise<true> {
  const { agent } = context.app;
  const { entries } = agent.session.branch;
  const result = await undoOrRedoCompaction(action, agent);
  const { type: outcome, entryId } = Object(result.type === "success" ? result.data : null) as Readonly<
    Record<string, unknown>
  >;
  const messagesSince = countMessagesSince(entries, entryId);
  if (outcome !== "undone" && outcome !== "redone") await showResult(result, context);
  else
    context.screen.update((state) => {
      const key = keyHint("undoCompaction", state.keymap);
      return {
        ...state,
        hint: outcome === "undone" ? formatUndoHint(agent, { messagesSince, key }) : formatRedoHint(agent, key),
      };
    });
  return true;
}

function formatRedoHint(agent: Agent, undoKey: string | null): string {
  return `${formatContextSize(agent)} Undo with ${undoKey ?? "/undo"}.`;
}

interface UndoHintOptions {
  /** The number of messages after the compaction or removal. They stay on their own branch, but the model no longer sees them. */
  readonly messagesSince: number;
  readonly key: string | null;
}

/** Two lines at most. If messages stay on another branch, that replaces the notice about automatic compaction. */
function formatUndoHint(agent: Agent, { messagesSince, key }: UndoHintOptions): string {
  const branchNotice = `${formatCount(messagesSince, "newer message stays", "newer messages stay")} on another branch.`;
  const notice = messagesSince === 0 ? NO_AUTO_COMPACT_NOTICE : branchNotice;
  return `${formatContextSize(agent)} ${notice} Redo with ${key ?? "/redo"}.`;
}

const NO_AUTO_COMPACT_NOTICE = "Automatic compaction is paused until the context grows by another 10% of the window.";

function formatContextSize(agent: Agent): string {
  return `The model now sees about ${formatNumber(agent.contextUsage().tokens)} tokens.`;
}

function countMessagesSince(entries: readonly Entry[], entryId: unknown): number {
  const index = entries.findIndex(({ id }) => id === entryId);
  return entries.slice(index + 1).filter(({ type }) => type === "message").length;
}

/** Whether the newest change of the context is an undo, and not a compaction or a removal of outdated results. */
function hasUndo({ entries }: LoadedBranch): boolean {
  const newest = entries.findLast((entry) => isUndoEntry(entry) || isUndoable(entry));
  return newest !== undefined && isUndoEntry(newest);
}

function isUndoable(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "context_edit" && entry.pith?.outdated !== undefined);
}
