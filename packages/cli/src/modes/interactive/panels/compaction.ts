/** Implements `/compact` with its preview of what is dropped, kept, pinned and paid, and `/undo` and `/redo`. */

import type { Agent } from "@pith/agent";
import { type Entry, type LoadedBranch, previewCompaction } from "@pith/context";
import { MOVE_TYPE } from "@pith/context/host";
import { isPreviewRequest, reportCompaction, undoOrRedoCompaction } from "../../../commands/compact.ts";
import {
  computePreviewStats,
  type EntryTotals,
  findSummarizer,
  type PreviewStats,
} from "../../../context-report/compaction-preview.ts";
import { openCatalogue } from "../../../models/catalogue.ts";
import { keyHint } from "../../../settings/keymap.ts";
import { isCompacting } from "../../../text/compaction-text.ts";
import { formatCost, formatCount, formatNumber } from "../../../text/format.ts";
import { escapeControls } from "../../../text/safe-text.ts";
import type { Theme } from "../render/theme.ts";
import type { InteractiveContext, PanelCommand } from "../screen-context.ts";
import { showResult } from "../send.ts";
import { CURSOR_MARKER, truncateToWidth } from "../terminal/pi-tui.ts";
import { continueWith, finishWith, type Panel } from "./panel.ts";
import { editInput, emptyInput, type LineInput, renderHints, renderInput } from "./widgets.ts";

/** The answer is what the summary should focus on. It is empty if the user names nothing. */
export function createPreviewPanel(preview: PreviewStats): Panel<LineInput, string> {
  return {
    initialState: emptyInput,
    handleKey: (line, key) => {
      if (key === "enter") return finishWith(line.text.trim());
      const edited = editInput(line, key);
      return edited ? continueWith(edited) : null;
    },
    render: (line, { width, height, theme }) => {
      const lines = [...renderHead(preview, theme), ...renderRows(preview, theme)];
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

function renderHead({ tokens }: PreviewStats, theme: Theme): readonly string[] {
  const savings = theme.dim(`, ${formatNumber(Math.max(0, tokens.before - tokens.after))} fewer`);
  return [
    theme.strong(" Compact now?"),
    ` ${formatNumber(tokens.before)} → about ${formatNumber(tokens.after)} tokens${savings}`,
  ];
}

function renderRows(
  { dropped, kept, userMessages, pins, summarizer, costUsd: cost }: PreviewStats,
  theme: Theme,
): readonly string[] {
  const rows: readonly (readonly [string, string, string])[] = [
    ["summarized", formatShare(dropped, "entry", "entries"), "searchable; /undo restores them"],
    ["kept", formatShare(kept, "entry", "entries"), "unchanged"],
    [
      "your messages",
      formatCount(userMessages.count, "message"),
      `verbatim, up to ${formatNumber(userMessages.tokens)} tokens`,
    ],
    ["pinned", formatCount(pins, "pin"), pins === 0 ? "/pin keeps text verbatim" : "verbatim"],
    ["summary by", escapeControls(summarizer), cost === null ? "" : `about ${formatCost(cost)}`],
  ];
  return rows.map(
    ([name, figure, note]) => ` ${theme.dim(name.padEnd(NAME_WIDTH))} ${figure.padEnd(28)} ${theme.dim(note)}`,
  );
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
  if (args.startsWith("--") || isPreviewRequest(args)) return false;
  if (args !== "") return await runCompaction(args, context);
  const { agent } = context.app;
  // During a compaction, the command is refused immediately and not after a question.
  if (isCompacting(agent)) return await runCompaction("", context);
  await agent.session.loadState();
  const plan = previewCompaction(agent.session.branch, agent.budget);
  // The command without a panel says why there is nothing to do.
  if (plan.type !== "planned") return false;
  const { catalogue } = await openCatalogue(context.app.home);
  const stats = computePreviewStats(plan, findSummarizer(context.app.settings, agent.model, catalogue));
  const focus = await context.screen.showPanel(createPreviewPanel(stats), { where: "inline" });
  return focus === null ? true : await runCompaction(focus, context);
};

/** The transcript shows the receipt or the failure by itself. Only the other outcomes are reported here. */
async function runCompaction(focus: string, context: InteractiveContext): Promise<true> {
  const { agent } = context.app;
  if (agent.isRunning && !isCompacting(agent))
    context.screen.showNote("The context is compacted when the current request finishes.");
  const outcome = await agent.compact(focus === "" ? undefined : focus);
  if (REPORTED_OUTCOMES.has(outcome.type)) await showResult(reportCompaction(outcome), context);
  return true;
}

const REPORTED_OUTCOMES: ReadonlySet<string> = new Set(["refused", "nothing-to-do", "postponed", "cancelled"]);

/** Redoes the compaction that was undone last. If none was undone, undoes the newest one. */
export const toggleCompaction: PanelCommand = (_, context) =>
  undoOrRedo(hasUndo(context.app.agent.session.branch) ? "redo" : "undo", context);

export const openUndo: PanelCommand = async (args, context) => args === "" && (await undoOrRedo("undo", context));

export const openRedo: PanelCommand = async (args, context) => args === "" && (await undoOrRedo("redo", context));

/** The transcript shows a success by itself. A hint describes its effect on the context. */
async function undoOrRedo(action: "undo" | "redo", context: InteractiveContext): Promise<true> {
  const { agent } = context.app;
  const messagesSince = countMessagesSince(agent.session.branch);
  const result = await undoOrRedoCompaction(action, agent);
  const outcome = result.type === "success" ? (Object(result.data) as { readonly type?: unknown }).type : null;
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
  /** The number of messages after the compaction. They stay on their own branch, but the model no longer sees them. */
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

function countMessagesSince({ entries, compactionIndex }: LoadedBranch): number {
  return entries.slice(compactionIndex + 1).filter(({ type }) => type === "message").length;
}

function hasUndo({ entries, compactionIndex }: LoadedBranch): boolean {
  return entries.slice(compactionIndex + 1).some(isUndoEntry);
}

function isUndoEntry(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE_TYPE && typeof Object(entry.data).undoes === "string";
}
