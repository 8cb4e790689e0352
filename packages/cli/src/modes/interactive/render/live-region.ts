/** Draws the live region: open blocks, status, queue, widgets, editor and footer. The region is never higher than the screen. */

import { formatNumber } from "@pith/host/text/format";
import { escapeControls, truncate } from "@pith/host/text/safe-text";
import { formatKeyHint } from "../../../settings/keymap.ts";
import { describeReason } from "../../../text/compaction-text.ts";
import { leavesSandbox } from "../../../text/tool-call-text.ts";
import type { Block } from "../state/blocks.ts";
import {
  type Activity,
  type ExtensionWidgets,
  listStatuses,
  listWidgetLines,
  type ScreenState,
} from "../state/screen-state.ts";
import { truncateToWidth, wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import type { Size } from "../terminal/screens.ts";
import { renderBlock } from "./block.ts";
import { renderFooter } from "./footer.ts";
import { fitLine } from "./text.ts";
import type { RenderContext, Theme } from "./theme.ts";

export interface FrameOptions {
  readonly state: ScreenState;
  readonly theme: Theme;
  /** Draws the editor or the open question. `size.height` is the maximum number of rows. */
  readonly renderInput: (size: Size) => readonly string[];
  readonly now: number;
}

export function renderFrame({ state, theme, renderInput, now }: FrameOptions, size: Size): readonly string[] {
  const { width, height } = size;
  const context: RenderContext = {
    width,
    theme,
    isUnfolded: state.isUnfolded,
    now,
    ...(state.keymap && { keymap: state.keymap }),
  };
  const statusRows = [
    ...renderActivity(state, context),
    ...renderQueue(state, context),
    ...renderHint(state, context),
    ...renderWidgets(state.extensionWidgets, context, height),
  ];
  const footerOptions = { ...context, isOutside: state.blocks.some(runsOutside) };
  const footerRows = [...renderFooter(state.footer, footerOptions), ...renderStatuses(state.extensionWidgets, context)];
  const inputRows = renderInput({ width, height: Math.max(3, height - statusRows.length - footerRows.length) });
  const blockRows = Math.max(0, height - statusRows.length - footerRows.length - inputRows.length);
  const blocks =
    blockRows === 0
      ? []
      : [...state.blocks, ...state.pendingShellBlocks].flatMap((block) =>
          renderBlock(block, { ...context, maxRows: blockRows }),
        );
  const lines = [...blocks.slice(-blockRows), ...statusRows, ...inputRows, ...footerRows];
  return lines.slice(-height).map((line) => fitLine(line, width));
}

function runsOutside(block: Block): boolean {
  return block.kind === "tool" && block.state === "running" && leavesSandbox(block.tool, block.arguments);
}

/** Renders at most two lines, below a blank one unless the line of the activity is above. */
function renderHint({ hint, activity }: ScreenState, { theme, width }: RenderContext): readonly string[] {
  if (hint === null) return [];
  const lines = wrapTextWithAnsi(escapeControls(hint.replaceAll(/\s+/g, " ")), Math.max(1, width - 2));
  return [...(activity.type === "idle" ? [""] : []), ...lines.slice(0, 2).map((line) => theme.dim(`  ${line}`))];
}

/** Further messages are only counted. */
const MAX_QUEUE_ROWS = 4;

export function renderQueue(
  { queue }: Pick<ScreenState, "queue">,
  { theme, width, keymap }: RenderContext,
): readonly string[] {
  const messages = [
    ...queue.steering.map((text) => ({ kind: "next request", text })),
    ...queue.followUp.map((text) => ({ kind: "when done", text })),
  ];
  if (messages.length === 0) return [];
  const renderRow = ({ kind, text }: { readonly kind: string; readonly text: string }): string =>
    truncateToWidth(
      `  ${theme.accent(`↳ ${`${kind}:`.padEnd(13)}`)} ${theme.dim(escapeControls(text.replaceAll(/\s+/g, " ")))}`,
      width,
    );
  const hiddenCount = messages.length - MAX_QUEUE_ROWS;
  const takeBackHint = formatKeyHint("takeBack", "edit queued", keymap);
  const summary = [hiddenCount > 0 ? `and ${hiddenCount} more` : "", takeBackHint]
    .filter((text) => text !== "")
    .join(" · ");
  const summaryRows = summary === "" ? [] : [theme.dim(truncateToWidth(`  ${summary}`, width))];
  return ["", ...messages.slice(0, MAX_QUEUE_ROWS).map(renderRow), ...summaryRows];
}

function renderWidgets(
  extensionWidgets: ExtensionWidgets,
  { width, theme }: RenderContext,
  height: number,
): readonly string[] {
  const lines = listWidgetLines(extensionWidgets);
  const maxRows = Math.max(1, Math.floor(height / 3));
  const visible = lines.length <= maxRows ? lines : lines.slice(0, maxRows - 1);
  const hiddenCount = lines.length - visible.length;
  const rows = visible.map((line) => truncateToWidth(` ${line}`, width, "…"));
  return hiddenCount === 0 ? rows : [...rows, theme.dim(truncateToWidth(` and ${hiddenCount} more lines`, width, "…"))];
}

/** Returns one line, or none if no extension has set a status. */
function renderStatuses(extensionWidgets: ExtensionWidgets, { width, theme }: RenderContext): readonly string[] {
  const statuses = listStatuses(extensionWidgets);
  return statuses.length === 0 ? [] : [theme.dim(truncateToWidth(statuses.join(" · "), width, "…"))];
}

export function renderActivity(
  { activity }: ScreenState,
  { theme, now, width, keymap }: RenderContext,
): readonly string[] {
  if (activity.type === "idle") return [];
  const [label = "", ...details] = describeActivity(activity, now).filter((text) => text !== "");
  // The stop hint is always shown; the heading is cut instead.
  const stopHint = formatKeyHint("stop", "stop", keymap);
  const suffix = ` · ${formatElapsed(now - activity.startedAt)}${stopHint && ` · ${stopHint}`}`;
  const heading = `${theme.accent(`● ${escapeControls(label)}`)}${theme.dim(escapeControls(details.map((text) => ` · ${text}`).join("")))}`;
  return ["", ` ${truncateToWidth(heading, Math.max(1, width - suffix.length - 1), "…")}${theme.dim(suffix)}`];
}

function describeActivity(activity: Exclude<Activity, { type: "idle" }>, now: number): readonly string[] {
  switch (activity.type) {
    case "running":
      return [activity.phase, activity.phase === "waiting for your answer" ? "" : formatTokensSoFar(activity.chars)];
    case "retrying":
      return [
        `retrying in ${Math.max(0, Math.ceil((activity.retryAt - now) / 1000))} s`,
        truncate(activity.errorMessage.replaceAll(/\s+/g, " "), MAX_ERROR_CHARS),
      ];
    case "compacting":
      return [
        activity.reason === "manual" ? "compacting" : `compacting: ${describeReason(activity.reason)}`,
        activity.step,
      ];
    case "summarizing":
      return ["summarizing the branch you are leaving", activity.step];
  }
}

const MAX_ERROR_CHARS = 60;

/** An estimate: the exact count arrives with the end of the reply. */
function formatTokensSoFar(chars: number): string {
  return chars < CHARS_PER_TOKEN ? "" : `about ${formatNumber(chars / CHARS_PER_TOKEN)} tokens`;
}

const CHARS_PER_TOKEN = 4;

function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Redraws once a second while the agent works, since the status line shows the elapsed time. */
export class RedrawTimer {
  readonly #redraw: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(redraw: () => void) {
    this.#redraw = redraw;
  }

  update({ type }: Activity): void {
    if (type === "idle") this.stop();
    else this.#timer ??= setInterval(this.#redraw, TICK_INTERVAL_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const TICK_INTERVAL_MS = 1_000;
