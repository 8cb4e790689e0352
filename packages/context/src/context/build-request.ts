/** Builds the request for a model: system prompt, tools, messages and cache marks. Folds system messages into one. */

import { isObject } from "../format/read-line.ts";
import type { Message, SystemMessage, ThinkingLevel, Tool } from "../message.ts";
import type { CacheMark, ModelName, Request, SystemSection, ToolChoice } from "../model.ts";
import type { Window } from "../session/loaded-branch.ts";
import type { SessionContext } from "./build-context.ts";
import { convertToLlm } from "./convert-to-llm.ts";

export interface RequestParts {
  readonly to: ModelName;
  readonly thinking?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
}

/**
 * What `Model.stream` takes. What is not said holds as the branch left it: the thinking level that was set last, any tool
 * the model likes.
 */
export function buildRequest(
  context: SessionContext,
  { to, thinking = levelOf(context), toolChoice = "auto" }: RequestParts,
): Request {
  const all = convertToLlm(context.messages, to);
  const first = all[0]?.role === "system" ? all[0] : null;
  const messages = first ? all.slice(1) : all;
  const system = first ? sections(first) : [];
  const tools = first?.toolsAdded ?? [];
  return {
    system,
    tools,
    messages,
    thinking,
    toolChoice,
    cacheMarks: cacheMarks(messages, { system, tools, front: hasFront(context) }),
  };
}

function sections({ content, sections: named = {} }: SystemMessage): readonly SystemSection[] {
  const prompt = typeof content === "string" ? content : content.map((block) => block.text).join("\n");
  const rest = Object.entries(named).flatMap(([name, text]) => (text ? [{ name, text }] : []));
  return prompt ? [{ name: "prompt", text: prompt }, ...rest] : rest;
}

const levels: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

function levelOf({ thinkingLevel }: SessionContext): ThinkingLevel {
  return levels.find((level) => level === thinkingLevel) ?? "off";
}

function hasFront({ messages }: SessionContext): boolean {
  return messages.find((message) => message.role !== "system")?.role === "compactionSummary";
}

// Anthropic takes four: what never changes, what a compaction put first, where the last request ended, where this one ends.
function cacheMarks(
  messages: readonly Message[],
  { system, tools, front }: Pick<Request, "system" | "tools"> & { front: boolean },
): readonly CacheMark[] {
  const reply = messages.findLastIndex((message) => message.role === "assistant");
  const ends = new Set([front ? 0 : -1, reply - 1, messages.length - 1].filter((index) => index >= 0));
  return [
    ...(tools.length > 0 ? [{ after: "tools" as const }] : []),
    ...(system.length > 0 && !front ? [{ after: "system" as const }] : []),
    ...[...ends].map((index) => ({ after: "message" as const, index })),
  ];
}

/** Null where the log says nothing of it. */
export function foldedSystem({ entries, compactionAt }: Window): SystemMessage | null {
  const compaction = entries[compactionAt];
  const before = compaction?.type === "compaction" ? compaction.systemMessage : undefined;
  const since = entries
    .slice(compactionAt + 1)
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "system" ? [entry.message] : []));
  const [first, ...later] = before?.role === "system" ? [before, ...since] : since;
  return first ? folded(first, later) : null;
}

// CTX13: sections by name, null removes one; tools come and go; words are added to words.
function folded(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage {
  const last = later.at(-1);
  if (!last) return first;
  const sections = new Map<string, string>();
  const tools = new Map<string, Tool>();
  for (const message of [first, ...later]) {
    patchSections(sections, message);
    patchTools(tools, message);
  }
  return {
    role: "system",
    content: contentOf(first, later),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: last.timestamp,
  };
}

// Files are not checked section by section or tool by tool.
function patchSections(named: Map<string, string>, { sections }: SystemMessage): void {
  for (const [name, text] of isObject(sections) ? Object.entries(sections) : []) {
    if (text === null) named.delete(name);
    if (typeof text === "string") named.set(name, text);
  }
}

function patchTools(tools: Map<string, Tool>, { toolsAdded, toolsRemoved }: SystemMessage): void {
  for (const { name } of namedIn(toolsRemoved)) tools.delete(name);
  for (const tool of namedIn(toolsAdded)) {
    // A newer one stands at the end, where it was added.
    tools.delete(tool.name);
    tools.set(tool.name, tool);
  }
}

function namedIn<Each extends { readonly name: string }>(tools: readonly Each[] | undefined): readonly Each[] {
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool?.name === "string") : [];
}

// Words that are said again are not added again: they stand once, where they were said last.
function contentOf(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage["content"] {
  const speaking = [first, ...later].filter((message) => words(message).trim() !== "");
  if (speaking.length <= 1) return speaking[0]?.content ?? "";
  const added = [...new Set(later.map(words).reverse())].reverse().filter((text) => text.trim() !== "");
  return [added.reduce(without, words(first)), ...added].filter((text) => text.trim() !== "").join("\n\n");
}

function without(text: string, paragraphs: string): string {
  const at = `\n\n${text}\n\n`.indexOf(`\n\n${paragraphs}\n\n`);
  if (at === -1) return text;
  const rest = [text.slice(0, Math.max(0, at - 2)), text.slice(at + paragraphs.length + 2)];
  return rest.filter((part) => part !== "").join("\n\n");
}

function words({ content }: SystemMessage): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (block?.type === "text" && typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}
