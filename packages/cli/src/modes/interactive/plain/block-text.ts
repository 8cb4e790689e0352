/** Renders transcript blocks and state changes as sentences that can be read aloud, without boxes or symbols. Pure. */

import { formatCountOrNone, formatLineCount } from "@pith/host/text/format";
import { escapeControls, escapeLineBreaks, truncate } from "@pith/host/text/safe-text";
import { formatBalance, formatHeadline } from "../../../text/compaction-text.ts";
import { withoutDenial } from "../../../text/event-text.ts";
import { leavesSandbox, OUTSIDE_SANDBOX } from "../../../text/tool-call-text.ts";
import type {
  AssistantBlock,
  Block,
  CompactionBlock,
  NoteBlock,
  ShellBlock,
  ToolBlock,
  UserBlock,
} from "../state/blocks.ts";
import type { FooterData } from "../state/footer.ts";
import type { Activity, ExtensionWidgets, ScreenState } from "../state/screen-state.ts";

/** Returns one sentence, such as `Tool bash npm test: done, 12 lines.` A failed call adds the first lines of its output, a stopped one the last lines. */
function formatToolCall(call: ToolBlock): string {
  const name = formatToolCallName(call);
  switch (call.state) {
    case "writing":
    case "waiting":
      return `${name}: waiting.`;
    case "running":
      return `${name}: running.`;
    case "done":
      return `${name}: done, ${formatOutputSize(call)}${formatDuration(call)}.`;
    case "failed":
      return `${name}: failed${formatDuration(call)}: ${formatOutputHead(call.output)}`;
    case "denied":
      return `${name}: denied: ${withoutDenial(formatOutputHead(call.output))}`;
    case "stopped":
      return `${name}: stopped${formatDuration(call)}: ${formatOutputTail(call.output)}`;
    case "broken-off":
      return `${name}: interrupted.`;
  }
}

/** Returns the tool and the arguments that identify the call. */
export function formatToolCallName({ tool, arguments: args }: ToolBlock): string {
  const { path, command, pattern, url } = args;
  const place = leavesSandbox(tool, args) ? `${OUTSIDE_SANDBOX}:` : null;
  const details = [place, command, pattern, path, url].filter((value) => typeof value === "string");
  return `Tool ${[tool, ...details].map((part) => truncate(escapeLineBreaks(part))).join(" ")}`;
}

function formatOutputSize({ output, diff, images }: ToolBlock): string {
  if (images.length > 0) return formatCountOrNone(images.length, "image");
  if (diff === undefined) return formatLineCount(output);
  const lines = diff.split("\n").filter((line) => !/^(?:\+\+\+|---) /.test(line));
  const [added, removed] = ["+", "-"].map((prefix) => lines.filter((line) => line.startsWith(prefix)).length);
  return `${formatCountOrNone(added ?? 0, "line")} added, ${removed === 0 ? "none" : (removed ?? 0)} removed`;
}

function formatDuration({ durationMs = 0 }: ToolBlock): string {
  return durationMs < MIN_SHOWN_DURATION_MS ? "" : `, ${formatCountOrNone(Math.round(durationMs / 1_000), "second")}`;
}

/** A shorter duration is omitted. */
const MIN_SHOWN_DURATION_MS = 2_000;

function formatOutputHead(output: string): string {
  const lines = output.trim().slice(0, MAX_ERROR_CHARS).split("\n");
  const hiddenCount = lines.length - MAX_ERROR_LINES;
  return [
    ...lines.slice(0, MAX_ERROR_LINES),
    ...(hiddenCount > 0 ? [`and ${formatCountOrNone(hiddenCount, "more line")}`] : []),
  ].join("\n");
}

/** The end of the output shows how far a stopped call came. */
function formatOutputTail(output: string): string {
  const lines = output.trim().slice(-MAX_ERROR_CHARS).split("\n");
  return lines.slice(-MAX_ERROR_LINES).join("\n");
}

const MAX_ERROR_LINES = 5;
const MAX_ERROR_CHARS = 2_000;

/** Returns lines without terminal control characters. Empty if the block has no text to read. */
export function formatBlock(block: Block): readonly string[] {
  const text = escapeControls(describeBlock(block)).replace(/\s+$/, "");
  return text === "" ? [] : text.split("\n");
}

function describeBlock(block: Block): string {
  switch (block.kind) {
    case "user":
      return formatUserMessage(block);
    case "assistant":
      return formatAnswer(block);
    case "thinking":
      return `Thinking: ${formatLineCount(block.text)}.`;
    case "tool":
      return formatToolCall(block);
    case "shell":
      return formatShellCommand(block);
    case "compaction":
      return formatCompaction(block);
    case "branch-summary":
      return `Summary of the branch you left: ${block.summary}`;
    case "pin":
      return `Pinned: ${block.text}`;
    case "note":
      return `${tonePrefixes[block.tone]}${block.text.replaceAll(DRAWING_CHARS, "")}`;
  }
}

const tonePrefixes: Readonly<Record<NoteBlock["tone"], string>> = {
  plain: "",
  good: "",
  warning: "Warning: ",
  bad: "Error: ",
};

/** Box-drawing and block characters. A screen reader would read each of them aloud. */
const DRAWING_CHARS = / *[\u2500-\u259f]+ */g;

function formatUserMessage({ text, images, from }: UserBlock): string {
  const label = from === "program" ? "Sent by a program" : "You";
  const imageNote =
    images.length === 0 ? "" : ` (with ${images.length === 1 ? "an image" : `${images.length} images`})`;
  return `${label}${imageNote}: ${text}`;
}

/** Only the first part of an answer gets the prefix. */
function formatAnswer({ text, printed }: AssistantBlock): string {
  const rest = text.slice(printed);
  if (rest.trim() === "") return "";
  return printed === 0 ? `Pith: ${rest.trimStart()}` : rest;
}

function formatShellCommand({ command, output, exitCode, isCancelled, isPrivate }: ShellBlock): string {
  const outcome = isCancelled ? "stopped" : exitCode === 0 ? "done" : formatExit(exitCode);
  const privacyNote = isPrivate ? "; the model does not see it" : "";
  return `${output.replace(/\s+$/, "")}\nShell ${escapeLineBreaks(command)}: ${outcome}${privacyNote}.`.trimStart();
}

function formatExit(exitCode: number | null): string {
  return exitCode === null ? "ended without an exit code" : `exited with code ${exitCode}`;
}

function formatCompaction({ entry, warnings, rereadFiles, isUndone }: CompactionBlock): string {
  if (isUndone) return `Compaction (undone): ${formatHeadline(entry)}.`;
  const warningLines = warnings.map((warning) => `\nWarning: ${warning}`).join("");
  const balance = formatBalance(entry);
  return `Compacted: ${formatHeadline(entry)}. ${balance.charAt(0).toUpperCase()}${balance.slice(1)}. /context shows what is in the context now; /undo undoes the compaction.${warningLines}${rereadFiles === undefined ? "" : `\n${rereadFiles}`}`;
}

export function formatStateChange(before: ScreenState, after: ScreenState): readonly string[] {
  const lines = [
    ...formatFooterChange(before.footer, after.footer),
    ...formatActivityChange(before.activity, after.activity),
    ...formatQueueChange(before, after),
    ...formatWidgetChange(before.extensionWidgets, after.extensionWidgets),
    ...(after.hint !== null && after.hint !== before.hint ? [`Hint: ${after.hint}`] : []),
    ...(before.activity.type !== "idle" && after.activity.type === "idle" ? [formatReady(after.footer)] : []),
  ];
  return lines.map(escapeControls);
}

/** Describes everything in one sentence when the session starts, and later only what changed. */
function formatFooterChange(before: FooterData, after: FooterData): readonly string[] {
  const { model, folder, permissionMode, sessionName } = after;
  if (before.model === "" && model !== "")
    return [`Model ${model}, folder ${folder}${permissionMode === null ? "" : `, permission mode ${permissionMode}`}.`];
  return [
    ...(model === before.model ? [] : [`Model: ${model}.`]),
    ...(permissionMode === before.permissionMode || permissionMode === null
      ? []
      : [`Permission mode: ${permissionMode}.`]),
    ...(sessionName === before.sessionName || sessionName === null ? [] : [`Session: ${sessionName}.`]),
  ];
}

function formatActivityChange(before: Activity, after: Activity): readonly string[] {
  if (after.type === before.type) return [];
  switch (after.type) {
    case "compacting":
      return ["Compacting the context. Ctrl+C stops it."];
    case "summarizing":
      return ["Summarizing the branch you are leaving. Ctrl+C stops it."];
    case "retrying":
      return [`Retrying: ${after.errorMessage}`];
    case "running":
    case "idle":
      return [];
  }
}

/** Reports only new statuses and widgets. If each change were reported, a screen reader would read them all the time. */
function formatWidgetChange(before: ExtensionWidgets, after: ExtensionWidgets): readonly string[] {
  if (before === after) return [];
  const statuses = Object.entries(after.statuses).filter(([key]) => !Object.hasOwn(before.statuses, key));
  const widgets = Object.entries(after.widgets).filter(([key]) => !Object.hasOwn(before.widgets, key));
  return [...statuses.map(([, text]) => `Status: ${text}`), ...widgets.flatMap(([, lines]) => lines)];
}

function formatQueueChange({ queue: before }: ScreenState, { queue: after }: ScreenState): readonly string[] {
  const steering = after.steering.slice(before.steering.length).map((text) => `Queued: ${text}`);
  const followUps = after.followUp.slice(before.followUp.length).map((text) => `Queued until the run ends: ${text}`);
  return [...steering, ...followUps];
}

function formatReady({ meter }: FooterData): string {
  if (!meter?.limit) return "Ready.";
  return `Ready. The context is ${meter.isEstimate ? "about " : ""}${Math.round((meter.tokens / meter.limit) * 100)}% full.`;
}
