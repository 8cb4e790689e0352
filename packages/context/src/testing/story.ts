/** Builds a session from short lines, and shows messages as lines, for tests and docs. */

import { type Entry, type EntryContent, MOVE_TYPE } from "../entry.ts";
import type { AgentMessage, AssistantMessage, Block, Message, ToolCallBlock, Usage } from "../message.ts";

/**
 * Builds the entries of a session from short lines. Entries get the ids e1, e2 … and the numbers 1, 2 …; tool calls get c1, c2 …. Each line
 * is `keyword: text`, and adds one entry after the one before it:
 *
 * - `user: text`, `says: text`, `thinks: text` (reasoning of the next `says` or `calls`)
 * - `calls: read path=a.ts; bash command=ls` (one assistant message, its calls c1 and c2)
 * - `result: text` (of the oldest open call), `result c2: text`, `fails: text` (a result that is an error)
 * - `fails to answer: text` (a failed reply), `stops: text` (an aborted one), `bash: ls -> output`, `note: text` (a custom message)
 * - `system: text`, `model: provider/model`, `thinking: high`, `names: text` (the session)
 * - `compacts: summary, keeps e5` (or `keeps nothing`), `edits e4: new text`, `drops e4`, `labels e2: name`
 * - `moves: e3` (or `moves: root`), `left e7: summary` (of a branch)
 */
export function story(...lines: readonly string[]): readonly Entry[] {
  const state: StoryState = { entries: [], calls: [], openCalls: [], thinking: null };
  for (const line of lines) applyStoryLine(state, line);
  return state.entries;
}

interface StoryState {
  readonly entries: Entry[];
  readonly calls: ToolCallBlock[];
  openCalls: readonly ToolCallBlock[];
  thinking: string | null;
}

function applyStoryLine(state: StoryState, line: string): void {
  const [, head = "", body = ""] = /^([^:]+)(?::\s?([\s\S]*))?$/.exec(line) ?? [];
  const keyword = ["fails to answer"].includes(head) ? head : (head.split(" ")[0] ?? "");
  const target = head.slice(keyword.length).trim();
  const toEntry = storyKeywords[keyword];
  if (!toEntry)
    throw new Error(`"${line}": unknown keyword "${keyword}"; use one of ${Object.keys(storyKeywords).join(", ")}`);
  const entry = toEntry({ state, body, target });
  if (entry) appendStoryEntry(state, entry);
}

interface StoryLine {
  readonly state: StoryState;
  readonly body: string;
  readonly target: string;
}

type StoryEntry = EntryContent & { readonly parentId?: string | null };

const storyKeywords: Readonly<Record<string, (line: StoryLine) => StoryEntry | null>> = {
  user: ({ state, body }) => ({
    type: "message",
    message: { role: "user", content: body, timestamp: nextTimestamp(state) },
  }),
  thinks: ({ state, body }) => {
    state.thinking = body;
    return null;
  },
  says: ({ state, body }) => createAssistantEntry(state, { content: [{ type: "text", text: body }] }),
  calls: ({ state, body }) => {
    state.openCalls = body.split(";").map((callText) => createToolCall(state, callText.trim()));
    return createAssistantEntry(state, { content: state.openCalls, stopReason: "toolUse" });
  },
  result: ({ state, body, target }) => createToolResult(state, { text: body, callId: target, isError: false }),
  fails: ({ state, body, target }) => createToolResult(state, { text: body, callId: target, isError: true }),
  "fails to answer": ({ state, body }) =>
    createAssistantEntry(state, { content: [], stopReason: "error", errorMessage: body }),
  stops: ({ state, body }) =>
    createAssistantEntry(state, { content: [{ type: "text", text: body }], stopReason: "aborted" }),
  bash: ({ state, body }) => {
    const [command = "", output = ""] = body.split(" -> ");
    const execution = { command, output, exitCode: 0, cancelled: false, truncated: false };
    return { type: "message", message: { role: "bashExecution", ...execution, timestamp: nextTimestamp(state) } };
  },
  note: ({ body }) => ({ type: "custom_message", customType: "note", content: body, display: true }),
  system: ({ state, body }) => ({
    type: "message",
    message: { role: "system", content: body, timestamp: nextTimestamp(state) },
  }),
  model: ({ body }) => {
    const [provider = "", modelId = ""] = body.split("/");
    return { type: "model_change", provider, modelId };
  },
  thinking: ({ body }) => ({ type: "thinking_level_change", thinkingLevel: body }),
  names: ({ body }) => ({ type: "session_info", name: body }),
  compacts: ({ state, body }) => {
    const [, summary = body, firstKept = "nothing"] = /^([\s\S]*), keeps (\S+)$/.exec(body) ?? [];
    const firstKeptEntryId = firstKept === "nothing" ? nextEntryId(state) : firstKept;
    return { type: "compaction", summary, firstKeptEntryId, tokensBefore: 1000 };
  },
  edits: ({ body, target }) => ({ type: "context_edit", targetId: target, replacement: { content: body } }),
  drops: ({ target }) => ({ type: "context_edit", targetId: target, replacement: null }),
  labels: ({ body, target }) => ({ type: "label", targetId: target, ...(body && { label: body }) }),
  moves: ({ body }) => ({ type: "custom", customType: MOVE_TYPE, parentId: body === "root" ? null : body }),
  left: ({ body, target }) => ({ type: "branch_summary", fromId: target || "root", summary: body }),
};

function appendStoryEntry(
  { entries }: StoryState,
  { parentId = entries.at(-1)?.id ?? null, ...content }: StoryEntry,
): void {
  const number = entries.length + 1;
  const timestamp = new Date(STORY_START_TIME + number * 1000).toISOString();
  const { type, ...rest } = content;
  entries.push({ type, id: `e${number}`, parentId, timestamp, number, ...rest } as Entry);
}

function createAssistantEntry(state: StoryState, reply: Partial<AssistantMessage>): StoryEntry {
  const thinking =
    state.thinking === null
      ? []
      : [{ type: "thinking" as const, thinking: state.thinking, thinkingSignature: "signed" }];
  state.thinking = null;
  const message: AssistantMessage = {
    role: "assistant",
    content: [],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "storyteller",
    usage: emptyUsage,
    stopReason: "stop",
    timestamp: nextTimestamp(state),
    ...reply,
  };
  return { type: "message", message: { ...message, content: [...thinking, ...message.content] } };
}

function createToolCall(state: StoryState, text: string): ToolCallBlock {
  const [name = "", ...pairs] = text.split(" ");
  const args = Object.fromEntries(pairs.map((pair) => pair.split("=", 2)));
  const toolCall: ToolCallBlock = { type: "toolCall", id: `c${state.calls.length + 1}`, name, arguments: args };
  state.calls.push(toolCall);
  return toolCall;
}

function createToolResult(
  state: StoryState,
  { text, callId, isError }: { text: string; callId: string; isError: boolean },
): StoryEntry {
  const toolCall = state.calls.find(({ id }) => id === callId) ?? state.openCalls[0];
  if (!toolCall) throw new Error(`"result: ${text}": no open tool call`);
  state.openCalls = state.openCalls.filter((openCall) => openCall !== toolCall);
  const content = text === "" ? [] : [{ type: "text" as const, text }];
  return {
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: toolCall.id,
      toolName: toolCall.name,
      content,
      isError,
      timestamp: nextTimestamp(state),
    },
  };
}

const STORY_START_TIME = 1767225600000;
const nextTimestamp = ({ entries }: StoryState): number => STORY_START_TIME + (entries.length + 1) * 1000;
const nextEntryId = ({ entries }: StoryState): string => `e${entries.length + 1}`;

/** A usage of zero tokens and no cost. */
export const emptyUsage: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Formats messages, one per line: `3 assistant  [c1: read path=a.ts]`. */
export function show(messages: readonly (Message | AgentMessage)[]): string {
  return messages
    .map((message, index) => `${index} ${roleLabel(message).padEnd(9)} ${formatMessage(message)}`.trimEnd())
    .join("\n");
}

function roleLabel({ role }: AgentMessage): string {
  return ROLE_LABELS[role] ?? role;
}

const ROLE_LABELS: Readonly<Partial<Record<AgentMessage["role"], string>>> = {
  toolResult: "tool",
  bashExecution: "shell",
  compactionSummary: "summary",
  branchSummary: "left",
};

function formatMessage(message: AgentMessage): string {
  switch (message.role) {
    case "toolResult":
      return `${message.toolCallId} -> ${message.isError ? "(error) " : ""}${formatContent(message.content)}`;
    case "bashExecution":
      return joinLines(`${message.command} -> ${message.output}`);
    case "compactionSummary":
    case "branchSummary":
      return joinLines(message.summary);
    case "system":
    case "user":
    case "assistant":
    case "custom":
      return formatContent(message.content);
  }
}

function formatContent(content: string | readonly Block[]): string {
  if (typeof content === "string") return joinLines(content);
  return content.map(formatBlock).join(" ");
}

function formatBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return joinLines(block.text);
    case "thinking":
      return `(thinks: ${joinLines(block.thinking)})`;
    case "image":
      return `[${block.mimeType}]`;
    case "toolCall": {
      const args = Object.entries(block.arguments).map(([name, value]) => ` ${name}=${value}`);
      return `[${block.id}: ${block.name}${args.join("")}]`;
    }
  }
}

const joinLines = (text: string): string => text.replace(/\s+/g, " ").trim();
