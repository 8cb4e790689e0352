/** Draws the footer: model, folder, mode, cost and context meter, in one line if there is room, otherwise in two. */

import { formatCost } from "@pith/host/text/format";
import { escapeControls, truncate } from "@pith/host/text/safe-text";
import { OUTSIDE_SANDBOX } from "../../../text/tool-call-text.ts";
import type { FooterData } from "../state/footer.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { calculateBarWidth, renderMeterLine } from "./context-meter.ts";
import type { RenderContext, Theme } from "./theme.ts";

interface FooterOptions extends Pick<RenderContext, "width" | "theme"> {
  /** Whether a command runs outside the sandbox now. */
  readonly isOutside?: boolean;
}

export function renderFooter(footer: FooterData, options: FooterOptions): readonly string[] {
  return renderOneLine(footer, options) ?? renderTwoLines(footer, options);
}

/** Null if one line has no room for everything, including the legend of the bar. */
function renderOneLine(footer: FooterData, { width, theme, isOutside }: FooterOptions): readonly string[] | null {
  const meterText = footer.meter ? renderMeterLine(footer.meter, { width: UNLIMITED_WIDTH, theme }) : "";
  const right = [meterText, formatStatus(footer, { theme, isOutside })].filter((text) => text !== "").join(GAP);
  const left = formatModelAndFolder(footer, { maxWidth: width - visibleWidth(right) - GAP.length, isComplete: true });
  return left === null ? null : [joinEnds(theme.dim(left), right, width)];
}

/** The meter shares a line with the status, unless its bar would become too short. */
function renderTwoLines(footer: FooterData, { width, theme, isOutside }: FooterOptions): readonly string[] {
  const status = formatStatus(footer, { theme, isOutside });
  const availableWidth = width - visibleWidth(status) - GAP.length;
  const renderLeft = (maxWidth: number): string =>
    theme.dim(formatModelAndFolder(footer, { maxWidth: Math.max(0, maxWidth), isComplete: false }) ?? "");
  const { meter } = footer;
  if (!meter)
    return availableWidth < 0
      ? [renderLeft(width), truncateToWidth(status, width, "…")]
      : [joinEnds(renderLeft(availableWidth), status, width)];
  const minBarWidth = meter.limit === null ? -GAP.length : MIN_SHARED_BAR_WIDTH;
  if (calculateBarWidth(meter, { width: availableWidth, theme }) >= minBarWidth)
    return [renderLeft(width), joinEnds(renderMeterLine(meter, { width: availableWidth, theme }), status, width)];
  return [
    joinEnds(renderLeft(availableWidth), status, width),
    truncateToWidth(renderMeterLine(meter, { width, theme }), width, "…"),
  ];
}

const GAP = "  ";
const UNLIMITED_WIDTH = 1_000;
/** The minimum width of a bar that shares its line with the status. */
const MIN_SHARED_BAR_WIDTH = 14;

/** Lists the permission mode, the sandbox and the cost. Values that are not known yet are left out. */
function formatStatus(
  { permissionMode, isSandboxed, cost }: FooterData,
  { theme, isOutside }: { readonly theme: Theme; readonly isOutside: boolean | undefined },
): string {
  const modeText =
    permissionMode === "all"
      ? theme.warning(theme.strong("ALL mode"))
      : theme.dim(`${escapeControls(permissionMode ?? "")} mode`);
  const confinedText = isOutside ? theme.warning(theme.strong(OUTSIDE_SANDBOX)) : theme.dim("sandbox");
  const sandboxText = isSandboxed ? confinedText : theme.warning("no sandbox");
  return [
    permissionMode && modeText,
    isSandboxed === null ? null : sandboxText,
    cost === null ? null : theme.dim(formatCost(cost)),
  ]
    .filter((part) => part !== null)
    .join(theme.dim(" · "));
}

function joinEnds(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < 1 ? truncateToWidth(`${left} ${right}`, width) : `${left}${" ".repeat(gap)}${right}`;
}

export interface ModelAndFolderOptions {
  readonly maxWidth: number;
  /** Returns null instead of a text that leaves something out. */
  readonly isComplete: boolean;
}

function formatModelAndFolder(footer: FooterData, { maxWidth, isComplete }: ModelAndFolderOptions): string | null {
  const layouts = isComplete ? fullLayouts : allLayouts;
  const fittingText = layouts.map((layout) => layout(footer)).find((text) => visibleWidth(text) <= maxWidth);
  if (fittingText !== undefined) return fittingText;
  return isComplete ? null : truncateToWidth(formatShortest(footer), maxWidth, "…");
}

type Layout = (footer: FooterData) => string;

/**
 * Layouts from long to short. The provider is left out first, then explaining words, then parent folders, then the end of long names.
 * The model and the git branch are kept longest.
 */
const fullLayouts: readonly Layout[] = [
  (footer) => formatParts(footer, "full"),
  (footer) => formatParts({ ...footer, model: withoutProvider(footer.model) }, "full"),
];

const allLayouts: readonly Layout[] = [
  ...fullLayouts,
  (footer) => formatParts({ ...footer, model: withoutProvider(footer.model) }, "brief"),
  (footer) =>
    formatParts({ ...footer, model: withoutProvider(footer.model), folder: shortenFolder(footer.folder) }, "brief"),
  (footer) => formatTruncated(footer),
  (footer) => formatTruncated({ ...footer, sessionName: null, treePosition: null }),
  (footer) => formatShortest(footer),
];

function formatShortest(footer: FooterData): string {
  return formatTruncated({ ...footer, thinkingLevel: "", folder: "", sessionName: null, treePosition: null });
}

function formatTruncated(footer: FooterData): string {
  const { model, folder, gitBranch, sessionName } = footer;
  const names = {
    gitBranch: gitBranch && truncate(gitBranch, MAX_NAME_CHARS),
    sessionName: sessionName && truncate(sessionName, MAX_NAME_CHARS),
  };
  return formatParts({ ...footer, ...names, model: withoutProvider(model), folder: shortenFolder(folder) }, "brief");
}

const MAX_NAME_CHARS = 20;

function formatParts(
  { model, thinkingLevel, folder, gitBranch, sessionName, treePosition }: FooterData,
  detail: "full" | "brief",
): string {
  const isFull = detail === "full";
  const thinkingText = isFull ? ` · thinking ${thinkingLevel}` : ` (${thinkingLevel})`;
  const parts = [
    thinkingLevel === "" || thinkingLevel === "off" ? model : `${model}${thinkingText}`,
    gitBranch === null ? folder : `${folder} on ${gitBranch}`.trim(),
    sessionName === null || sessionName.trim() === "" ? "" : `"${sessionName.trim()}"`,
    treePosition === null || !isFull ? (treePosition ?? "") : `${treePosition} in /tree`,
  ];
  // A line break in a name would break the footer.
  return escapeControls(
    parts
      .filter((part) => part.trim() !== "")
      .join(" · ")
      .replaceAll(/\s+/g, " "),
  );
}

function withoutProvider(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

function shortenFolder(folder: string): string {
  const parts = folder.split(/[\\/]/).filter((part) => part !== "");
  return parts.length <= 1 ? folder : `…/${parts.at(-1)}`;
}
