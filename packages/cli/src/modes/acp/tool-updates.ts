/** Converts tool calls, diffs, notices and message content for an editor, and tracks calls without a result. */

import { resolve } from "node:path";
import type {
  ToolCall as AcpToolCall,
  ContentBlock,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent, PermissionQuestion } from "@pith/agent";
import type { AssistantMessage, ImageBlock, TextBlock, ToolResultMessage } from "@pith/context";
import { asRecord } from "../../commands/diff.ts";
import { describeToolCall } from "../../text/tool-call-text.ts";
import type { ClientFeatures } from "./acp-context.ts";

/** Splits a unified diff into hunks. Editors expect pairs of old and new text. */
function parseHunks(diff: string): readonly { readonly oldText: string; readonly newText: string }[] {
  const hunks: { readonly old: string[]; readonly new: string[] }[] = [];
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) hunks.push({ old: [], new: [] });
    const hunk = hunks.at(-1);
    // Skips the file names before the first hunk, and the lines "\ No newline at end of file".
    if (!hunk || line.startsWith("@@") || line.startsWith("\\")) continue;
    if (!line.startsWith("+") && line !== "") hunk.old.push(line.slice(1));
    if (!line.startsWith("-") && line !== "") hunk.new.push(line.slice(1));
  }
  return hunks.map((hunk) => ({ oldText: joinLines(hunk.old), newText: joinLines(hunk.new) }));
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

export function contentBlocks(content: string | readonly (TextBlock | ImageBlock)[]): readonly ContentBlock[] {
  if (typeof content === "string") return [textBlock(content)];
  return content.map((block) =>
    block.type === "text" ? textBlock(block.text) : { type: "image", data: block.data, mimeType: block.mimeType },
  );
}

export interface Notice {
  readonly text: string;
  readonly severity?: "info" | "warning" | "error";
}

/** Creates a notice. If the editor does not support notices, it becomes a paragraph of the conversation. */
export function createNoticeUpdate(
  { text, severity = "info" }: Notice,
  { supportsNotices }: ClientFeatures,
): SessionUpdate {
  const message = text.trim().replace(/^· /, "");
  if (!supportsNotices) return { sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n· ${message}\n\n`) };
  const [title = "", ...rest] = message.split("\n");
  const description = rest.join("\n");
  return { sessionUpdate: "notice", severity, title, ...(description !== "" && { description }) };
}

export interface ToolCallInfo {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export function toToolCall({ toolCallId, toolName, args }: ToolCallInfo, cwd: string): AcpToolCall {
  return {
    toolCallId,
    title: describeToolCall(toolName, args),
    name: toolName,
    kind: Object.hasOwn(TOOL_KINDS, toolName) ? (TOOL_KINDS[toolName] ?? "other") : "other",
    status: "pending",
    locations: toLocations(args, cwd),
    rawInput: args,
  };
}

/** The calls of an incomplete reply are not run. */
export function hasRunnableCalls({ stopReason }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted";
}

const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "execute",
  grep: "search",
  find: "search",
  ls: "search",
  fetch: "fetch",
};

function toLocations({ path, offset }: ToolCallInfo["args"], cwd: string): ToolCallLocation[] {
  if (typeof path !== "string" || path.trim() === "") return [];
  return [{ path: resolve(cwd, path), ...(typeof offset === "number" && offset >= 1 && { line: offset }) }];
}

/** Leaves out `content` if the editor should keep what it shows, such as the diff of the permission request. */
export function toToolCallEnd(
  { toolCallId, args }: Pick<ToolCallInfo, "toolCallId" | "args">,
  result: ToolResultMessage,
  cwd: string,
): ToolCallUpdate {
  const status = result.isError ? "failed" : "completed";
  const content = resultContent(args, result, cwd);
  const details = removePithDetails(result.details);
  return { toolCallId, status, ...(content && { content }), ...(details !== undefined && { rawOutput: details }) };
}

function resultContent(args: ToolCallInfo["args"], result: ToolResultMessage, cwd: string): ToolCallContent[] | null {
  const { toolName, isError, details } = result;
  const path = typeof args.path === "string" ? resolve(cwd, args.path) : null;
  if (isError || path === null) return plainContent(result);
  const { diff, pith } = asRecord(details);
  if (toolName === "edit" && typeof diff === "string") return parseHunks(diff).map((hunk) => createDiff(path, hunk));
  if (toolName !== "write" || typeof args.content !== "string") return plainContent(result);
  return asRecord(pith).before === null ? [createDiff(path, { oldText: null, newText: args.content })] : null;
}

function plainContent({ content }: Pick<ToolResultMessage, "content">): ToolCallContent[] {
  return contentBlocks(content).map((block) => ({ type: "content", content: block }));
}

export function createDiff(
  path: string,
  { oldText, newText }: { readonly oldText: string | null; readonly newText: string },
): ToolCallContent {
  return { type: "diff", path, oldText, newText };
}

/** Removes Pith's internal data, which is of no use to an editor. */
function removePithDetails(details: unknown): unknown {
  const { pith: _, ...rest } = asRecord(details);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Finds the call of a permission question by tool and arguments: the editor needs the id, and the question does not have it. */
export class OpenCalls {
  readonly #calls = new Map<string, ToolCallInfo>();

  handleEvent(event: AgentEvent): void {
    if (event.type === "tool_execution_end") this.#calls.delete(event.toolCallId);
    if (event.type === "agent_settled") this.#calls.clear();
    if (event.type === "tool_execution_start") this.#add(event);
    if (event.type !== "message_end" || event.message.role !== "assistant") return;
    for (const block of event.message.content)
      if (block.type === "toolCall") this.#add({ toolCallId: block.id, toolName: block.name, args: block.arguments });
  }

  /** Null if the model did not call the tool, for example if an extension runs it. */
  findCallId({
    tool,
    arguments: args,
    intent,
  }: Pick<PermissionQuestion, "tool" | "arguments" | "intent">): string | null {
    const sameTool = [...this.#calls.values()].filter(({ toolName }) => toolName === tool);
    // The question came up while a command runs, so the call is found by its command.
    if (intent?.type === "network")
      return sameTool.find((call) => call.args.command === intent.command)?.toolCallId ?? null;
    const argumentsJson = JSON.stringify(args);
    return (sameTool.find((call) => JSON.stringify(call.args) === argumentsJson) ?? sameTool[0])?.toolCallId ?? null;
  }

  #add({ toolCallId, toolName, args }: ToolCallInfo): void {
    this.#calls.set(toolCallId, { toolCallId, toolName, args });
  }
}
