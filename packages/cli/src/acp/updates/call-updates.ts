/** Calls of tools as an editor shows them: what is done, to which file, and what came of it. Pure. */

import { resolve } from "node:path";
import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCall as ToolCallShown,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import type { AssistantMessage, ToolResultMessage } from "@pith/context";
import { callWords } from "../../screen/drawing/calls/call-words.ts";
import { changedHunks } from "./changed-hunks.ts";
import { contentBlocks } from "./words.ts";

export interface Called {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export function callShown({ toolCallId, toolName, args }: Called, cwd: string): ToolCallShown {
  return {
    toolCallId,
    title: callWords(toolName, args),
    name: toolName,
    kind: kindOf(toolName),
    status: "pending",
    locations: locationsOf(args, cwd),
    rawInput: args,
  };
}

/** Nobody runs the calls of a reply that broke off. */
export function isRun({ stopReason }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted";
}

export function kindOf(tool: string): ToolKind {
  return Object.hasOwn(KINDS, tool) ? (KINDS[tool] ?? "other") : "other";
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "execute",
  grep: "search",
  find: "search",
  ls: "search",
  fetch: "fetch",
};

function locationsOf({ path, offset }: Called["args"], cwd: string): ToolCallLocation[] {
  if (typeof path !== "string" || path.trim() === "") return [];
  return [{ path: resolve(cwd, path), ...(typeof offset === "number" && offset >= 1 && { line: offset }) }];
}

/** Without `content` what the editor has of it stays, such as the change that it was asked about. */
export function callEnded(
  { toolCallId, args }: Pick<Called, "toolCallId" | "args">,
  result: ToolResultMessage,
  cwd: string,
): ToolCallUpdate {
  const status = result.isError ? "failed" : "completed";
  const content = resultContent(args, result, cwd);
  const details = withoutOurs(result.details);
  return { toolCallId, status, ...(content && { content }), ...(details !== undefined && { rawOutput: details }) };
}

function resultContent(args: Called["args"], result: ToolResultMessage, cwd: string): ToolCallContent[] | null {
  const { toolName, isError, details } = result;
  const path = typeof args.path === "string" ? resolve(cwd, args.path) : null;
  if (isError || path === null) return plainContent(result);
  const { diff, pith } = fieldsOf(details);
  if (toolName === "edit" && typeof diff === "string") return changedHunks(diff).map((hunk) => diffOf(path, hunk));
  if (toolName !== "write" || typeof args.content !== "string") return plainContent(result);
  return fieldsOf(pith).before === null ? [diffOf(path, { oldText: null, newText: args.content })] : null;
}

export function plainContent({ content }: Pick<ToolResultMessage, "content">): ToolCallContent[] {
  return contentBlocks(content).map((block) => ({ type: "content", content: block }));
}

export function diffOf(
  path: string,
  { oldText, newText }: { readonly oldText: string | null; readonly newText: string },
): ToolCallContent {
  return { type: "diff", path, oldText, newText };
}

/** What we keep with a result for ourselves says nothing to others. */
function withoutOurs(details: unknown): unknown {
  const { pith: _, ...rest } = fieldsOf(details);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
