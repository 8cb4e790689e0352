/** Pairs tool calls and shell lines with their results, after context edits. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { readLoadedSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type Entry, entryReference } from "../entry.ts";
import { isObject } from "../json.ts";
import type { AgentMessage, BashExecutionMessage, ToolResultMessage } from "../message.ts";
import { parseBlobBlock } from "../session/blobs.ts";
import type { ToolRoles } from "../settings.ts";
import { EXIT_CODE_PATTERN } from "./find-checks.ts";
import { isReadOnlyLine } from "./shell-commands.ts";
import { completeToolCalls, pairCallResults, type ToolCallEffects, toolCallEffects } from "./touched-files.ts";

/** Collects the messages after context edits: removed content must not return through the ledger. */
export function collectVisibleMessages(entries: readonly Entry[]): readonly VisibleMessage[] {
  const edits = entries.filter((entry) => entry.type === "context_edit");
  return entries.flatMap((entry) => {
    const message = removeSkillText(entry, entryMessage(entry, latestEdit(edits, entry)));
    const original = removeSkillText(entry, entryMessage(entry, undefined));
    if (!message || !original || isPrivate(message)) return [];
    return [{ entryId: entry.id, reference: entryReference(entry), message, original }];
  });
}

/** A message of the context and the entry it comes from. */
export interface VisibleMessage {
  readonly entryId: string;
  /** The reference for the `read` tool. */
  readonly reference: string;
  readonly message: AgentMessage;
  /** The message before context edits. */
  readonly original: AgentMessage;
}

// SKL6: the text of a skill returns with the skill, so the ledger does not read it.
function removeSkillText(entry: Entry, message: AgentMessage | null): AgentMessage | null {
  if (message?.role === "custom" && message.customType === SKILL_LIST_TYPE) return null;
  const isSkill = message && "content" in message && readLoadedSkill(entry) !== null;
  return isSkill ? ({ ...message, content: [] } as AgentMessage) : message;
}

// LED6: the ledger ignores a shell line that the user excluded from the context.
function isPrivate(message: AgentMessage): boolean {
  return message.role === "bashExecution" && Boolean(message.excludeFromContext);
}

/** Returns the texts of a message, without blob placeholders. */
export function messageTexts(message: AgentMessage): readonly string[] {
  if (!("content" in message)) return [];
  return typeof message.content === "string" ? [message.content] : messageBlocks(message).flatMap(blockText);
}

/** Returns the content blocks of a message. They come from a file and are not checked. */
export function messageBlocks(message: AgentMessage): readonly unknown[] {
  return "content" in message && Array.isArray(message.content) ? message.content : [];
}

function blockText(block: unknown): readonly string[] {
  if (!isObject(block) || block.type !== "text" || parseBlobBlock(block)) return [];
  return typeof block.text === "string" ? [block.text] : [];
}

/**
 * Lists tool calls and shell lines with their results, in the order they ended. A call without a result is left out. The end of a
 * background job is a run of its command; its start is not.
 */
export function collectToolRuns(messages: readonly VisibleMessage[], roles: ToolRoles): readonly ToolRun[] {
  const effectsByResult = toolCallEffectsByResult(messages, roles);
  const jobs = new Map<string, ToolCallEffects>();
  return messages.flatMap(({ entryId, message }): readonly ToolRun[] => {
    if (message.role === "bashExecution")
      return [{ tool: "", effects: { ...UNKNOWN_EFFECTS, runs: [message.command] }, result: message, entryId }];
    if (message.role !== "toolResult") return [];
    const run = { tool: message.toolName, result: message, entryId };
    const effects = effectsByResult.get(message) ?? UNKNOWN_EFFECTS;
    const { job, exitCode } = readJobDetails(message);
    if (job === null) return [{ ...run, effects }];
    if (exitCode === undefined) jobs.set(job, effects);
    return typeof exitCode === "number" ? [{ ...run, effects: jobs.get(job) ?? UNKNOWN_EFFECTS }] : [];
  });
}

/** Reads the details of a result about a background job. There is no exit code in the result of a start, and null while the job runs. */
function readJobDetails({ details }: ToolResultMessage): { readonly job: string | null; readonly exitCode?: unknown } {
  const { job, exitCode } = isObject(details) ? details : {};
  return { job: typeof job === "string" ? job : null, exitCode };
}

/** A tool call or shell line with its result. */
export interface ToolRun {
  /** The tool's name; empty for a shell line that the user ran. */
  readonly tool: string;
  readonly effects: ToolCallEffects;
  readonly result: ToolResultMessage | BashExecutionMessage;
  /** The entry of the result. */
  readonly entryId: string;
}

const UNKNOWN_EFFECTS: ToolCallEffects = { reads: [], modifies: [], runs: [] };

function toolCallEffectsByResult(
  messages: readonly VisibleMessage[],
  roles: ToolRoles,
): ReadonlyMap<ToolResultMessage, ToolCallEffects> {
  const results = pairCallResults(messages.map(({ message }) => message));
  const calls = messages.flatMap(({ message }) => (message.role === "assistant" ? completeToolCalls(message) : []));
  return new Map(
    calls.flatMap((call) => {
      const result = results.get(call);
      return result ? [[result, toolCallEffects(call, roles)] as const] : [];
    }),
  );
}

/** Returns the shell line of a run, or null if the tool runs none. */
export function toolRunShellLine({ effects: { runs } }: ToolRun): string | null {
  return runs[0] ?? null;
}

/** Returns the first file that the call names. */
export function toolRunPath({ effects: { reads, modifies } }: ToolRun): string | null {
  return modifies[0] ?? reads[0] ?? null;
}

/** Returns the output of a run. */
export function toolRunOutput({ result }: ToolRun): string {
  if (result.role === "bashExecution") return typeof result.output === "string" ? result.output : "";
  return messageTexts(result).join("\n");
}

/** Returns the exit code of a run, or null if it is unknown, e.g. for a command that was stopped or still runs. */
export function toolRunExitCode(run: ToolRun): number | null {
  const { result } = run;
  if (result.role === "bashExecution") return typeof result.exitCode === "number" ? result.exitCode : null;
  const reportedCode = isObject(result.details) ? result.details.exitCode : undefined;
  if (Number.isSafeInteger(reportedCode)) return Number(reportedCode);
  const last = toolRunOutput(run).slice(-200).trimEnd();
  const [, code] = EXIT_CODE_PATTERN.exec(last.slice(last.lastIndexOf("\n") + 1)) ?? [];
  if (code !== undefined) return Number(code);
  return result.isError === true || reportedCode === null ? null : 0;
}

/** Whether a run ended. A call that was stopped or denied, or still runs, has neither failed nor succeeded. */
export function hasEnded(run: ToolRun): boolean {
  const { result } = run;
  if (result.role === "bashExecution") return !result.cancelled && typeof result.exitCode === "number";
  if (wasStoppedOrDenied(run)) return false;
  const isUnknown = isObject(result.details) && result.details.exitCode === null;
  // pi's text for a command that the user stopped.
  return !isUnknown && !/(?:^|\n)Command aborted\s{0,9}$/.test(toolRunOutput(run).slice(-50));
}

/** An agent records in the details of a result that the user stopped the call, or that it was denied. */
export function readUserDecision(details: unknown): "stopped" | "denied" | null {
  if (!isObject(details) || !isObject(details.pith)) return null;
  if (details.pith.stopped === true) return "stopped";
  return details.pith.denied === true ? "denied" : null;
}

/** Whether the user stopped the call, or it was denied. */
export function wasStoppedOrDenied({ result }: ToolRun): boolean {
  return result.role === "toolResult" && readUserDecision(result.details) !== null;
}

/** Whether a run failed. */
export function hasFailed(run: ToolRun): boolean {
  const { result } = run;
  const isError = result.role === "toolResult" && result.isError === true;
  return isError || (toolRunExitCode(run) ?? 0) !== 0;
}

/** Whether a run only shows a file, a search or a listing. */
export function isReadOnlyRun(run: ToolRun): boolean {
  const command = toolRunShellLine(run);
  const { reads, modifies } = run.effects;
  return command === null ? reads.length > 0 && modifies.length === 0 : isReadOnlyLine(command);
}
