/** Window to request: system and tools from the first system message, the messages after it, and the marks for the cache. */

import type { Message, SystemMessage, ThinkingLevel } from "../message.ts";
import type { CacheMark, ModelName, Request, SystemSection, ToolChoice } from "../request.ts";
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
