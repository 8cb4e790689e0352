/** Builds the request for a model: system prompt, tools, messages and cache marks. Merges system messages into one. */

import { isObject } from "../json.ts";
import type { Message, SystemMessage, ThinkingLevel, Tool } from "../message.ts";
import type { CacheMark, ModelName, Request, SystemSection, ToolChoice } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { SessionContext } from "./build-context.ts";
import { convertToLlm } from "./convert-to-llm.ts";

/** Builds the request for `Model.stream`. The thinking level defaults to that of the branch, the tool choice to `auto`. */
export function buildRequest(
  context: SessionContext,
  { model, thinking = contextThinkingLevel(context), toolChoice = "auto" }: RequestOptions,
): Request {
  const all = convertToLlm(context.messages, model);
  const first = all[0]?.role === "system" ? all[0] : null;
  const messages = first ? all.slice(1) : all;
  const system = first ? toSystemSections(first) : [];
  const tools = first?.toolsAdded ?? [];
  return {
    system,
    tools,
    messages,
    thinking,
    toolChoice,
    cacheMarks: createCacheMarks(messages, { system, tools, hasSummary: startsWithSummary(context) }),
  };
}

/** Options for `buildRequest`. */
export interface RequestOptions {
  readonly model: ModelName;
  readonly thinking?: ThinkingLevel;
  readonly toolChoice?: ToolChoice;
}

function toSystemSections({ content, sections: namedSections = {} }: SystemMessage): readonly SystemSection[] {
  const prompt = typeof content === "string" ? content : content.map((block) => block.text).join("\n");
  const rest = Object.entries(namedSections).flatMap(([name, text]) => (text ? [{ name, text }] : []));
  return prompt ? [{ name: "prompt", text: prompt }, ...rest] : rest;
}

const MODEL_THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

function contextThinkingLevel({ thinkingLevel }: SessionContext): ThinkingLevel {
  return MODEL_THINKING_LEVELS.find((level) => level === thinkingLevel) ?? "off";
}

function startsWithSummary({ messages }: SessionContext): boolean {
  return messages.find((message) => message.role !== "system")?.role === "compactionSummary";
}

// Anthropic accepts four marks: after the fixed part, after a compaction summary, at the end of the last request and of this one.
function createCacheMarks(
  messages: readonly Message[],
  { system, tools, hasSummary }: Pick<Request, "system" | "tools"> & { hasSummary: boolean },
): readonly CacheMark[] {
  const lastReply = messages.findLastIndex((message) => message.role === "assistant");
  const ends = new Set([hasSummary ? 0 : -1, lastReply - 1, messages.length - 1].filter((index) => index >= 0));
  return [
    ...(tools.length > 0 ? [{ after: "tools" as const }] : []),
    ...(system.length > 0 && !hasSummary ? [{ after: "system" as const }] : []),
    ...[...ends].map((index) => ({ after: "message" as const, index })),
  ];
}

/** Merges the system messages of a branch into one. Returns null if there are none. */
export function mergeSystemMessages({ entries, compactionIndex }: LoadedBranch): SystemMessage | null {
  const compaction = entries[compactionIndex];
  const compactionMessage = compaction?.type === "compaction" ? compaction.systemMessage : undefined;
  const laterMessages = entries
    .slice(compactionIndex + 1)
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "system" ? [entry.message] : []));
  const [first, ...later] =
    compactionMessage?.role === "system" ? [compactionMessage, ...laterMessages] : laterMessages;
  return first ? foldSystemMessages(first, later) : null;
}

// CTX13: sections are replaced by name, and null removes one; tools are added and removed; texts are appended.
function foldSystemMessages(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage {
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
    content: mergeSystemContent(first, later),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp: last.timestamp,
  };
}

// Files are not checked section by section or tool by tool.
function patchSections(sectionsByName: Map<string, string>, { sections }: SystemMessage): void {
  for (const [name, text] of isObject(sections) ? Object.entries(sections) : []) {
    if (text === null) sectionsByName.delete(name);
    if (typeof text === "string") sectionsByName.set(name, text);
  }
}

function patchTools(tools: Map<string, Tool>, { toolsAdded, toolsRemoved }: SystemMessage): void {
  for (const { name } of toolsWithName(toolsRemoved)) tools.delete(name);
  for (const tool of toolsWithName(toolsAdded)) {
    // A redefined tool moves to the end.
    tools.delete(tool.name);
    tools.set(tool.name, tool);
  }
}

function toolsWithName<Each extends { readonly name: string }>(tools: readonly Each[] | undefined): readonly Each[] {
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool?.name === "string") : [];
}

// A repeated text appears once, at its last position.
function mergeSystemContent(first: SystemMessage, later: readonly SystemMessage[]): SystemMessage["content"] {
  const nonEmpty = [first, ...later].filter((message) => systemText(message).trim() !== "");
  if (nonEmpty.length <= 1) return nonEmpty[0]?.content ?? "";
  const addedTexts = [...new Set(later.map(systemText).reverse())].reverse().filter((text) => text.trim() !== "");
  return [addedTexts.reduce(removeParagraphs, systemText(first)), ...addedTexts]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function removeParagraphs(text: string, paragraphs: string): string {
  const index = `\n\n${text}\n\n`.indexOf(`\n\n${paragraphs}\n\n`);
  if (index === -1) return text;
  const rest = [text.slice(0, Math.max(0, index - 2)), text.slice(index + paragraphs.length + 2)];
  return rest.filter((part) => part !== "").join("\n\n");
}

function systemText({ content }: SystemMessage): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (block?.type === "text" && typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}
