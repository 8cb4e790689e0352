/** Converts a request to the AI SDK's call options: prompt, tools, thinking and output length. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import type { CacheMark, Message, ModelName, Request, Tool, ToolChoice } from "@pith/context";
import {
  cacheControlOptions,
  markLastPart,
  type PromptTarget,
  type SystemUpdateOptions,
  selectCacheMarks,
  type ToolResultItem,
  toAssistantMessage,
  toSystemUpdate,
  toToolMessages,
  toUserMessage,
} from "./messages.ts";
import {
  buildProviderOptions,
  computeThinkingBudget,
  copyOptionsToKey,
  explainNoThinking,
  mayThink,
  type ReplyLimits,
  toReasoningLevel,
  toThinkingOptions,
  usesThinkingBudget,
} from "./provider-options.ts";
import { findRequestedSearch } from "./server-tools.ts";

/** The provider's own search, the tools the request began with, then those added since; each name once. */
export function buildTools(
  request: Request,
  target: ModelName,
): (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[] {
  const search = findRequestedSearch(request, target);
  const functions = buildFunctionTools(request, target);
  return search ? [search, ...functions] : functions;
}

// Those that were removed stay: without them the prefix would be another one. The text in place says that they are gone.
function buildFunctionTools(request: Request, target: ModelName): LanguageModelV4FunctionTool[] {
  const byName = collectFunctionTools(request);
  const isMarked = selectCacheMarks(request, target).some(({ after }) => after === "tools");
  return [...byName.values()].map((tool, index) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
    ...(isMarked && index === byName.size - 1 && cacheControlOptions),
  }));
}

/** As each was first told of. */
function collectFunctionTools({ tools, messages }: Request): ReadonlyMap<string, Tool> {
  const added = messages.flatMap((message) => (message.role === "system" ? (message.toolsAdded ?? []) : []));
  const byName = new Map<string, Tool>();
  for (const tool of [...tools, ...added])
    if (tool.from !== "provider" && !byName.has(tool.name)) byName.set(tool.name, tool);
  return byName;
}

export function buildPrompt(request: Request, target: ModelName): LanguageModelV4Prompt {
  const marks = selectCacheMarks(request, target);
  const groups = groupResults(
    toPromptItems(request, marks, { target, canSearch: findRequestedSearch(request, target) !== null }),
  );
  return [...buildSystemMessages(request, marks), ...groups.flatMap((group) => toPromptMessages(group, target))];
}

// One text: templates of many servers take one system message and no more.
function buildSystemMessages({ system }: Request, marks: readonly CacheMark[]): readonly LanguageModelV4Message[] {
  const content = system.map(({ text }) => text).join("\n\n");
  const isMarked = marks.some(({ after }) => after === "system");
  return content.trim() === "" ? [] : [{ role: "system", content, ...(isMarked && cacheControlOptions) }];
}

interface MessageItem {
  readonly promptMessage: LanguageModelV4Message;
  readonly isMarked: boolean;
}

type PromptItem = MessageItem | ToolResultItem;

// A mark on what is not told stands on what was told before it.
function toPromptItems(
  { messages, tools }: Request,
  marks: readonly CacheMark[],
  promptTarget: PromptTarget,
): readonly PromptItem[] {
  const markedIndices = new Set(marks.flatMap((mark) => (mark.after === "message" ? [mark.index] : [])));
  const knownTools = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]));
  const items: PromptItem[] = [];
  messages.forEach((message, index) => {
    const isMarked = markedIndices.has(index);
    const lastItem = items.at(-1);
    const promptMessage = toPromptMessage(message, { ...promptTarget, knownTools });
    if (message.role === "toolResult") items.push({ message, isMarked });
    else if (promptMessage) items.push({ promptMessage, isMarked });
    else if (isMarked && lastItem) items[items.length - 1] = { ...lastItem, isMarked };
    if (message.role === "system") for (const tool of message.toolsAdded ?? []) knownTools.set(tool.name, tool);
  });
  return items;
}

/** Null for what says nothing, and for results, which are told together. */
function toPromptMessage(message: Message, options: SystemUpdateOptions & PromptTarget): LanguageModelV4Message | null {
  switch (message.role) {
    case "system":
      return toSystemUpdate(message, options);
    case "user":
      return message.content.length === 0 ? null : toUserMessage(message);
    case "assistant": {
      const promptMessage = toAssistantMessage(message, options);
      return promptMessage.content.length === 0 ? null : promptMessage;
    }
    case "toolResult":
      return null;
  }
}

/** Results that stand together go together. */
function groupResults(items: readonly PromptItem[]): readonly (MessageItem | readonly ToolResultItem[])[] {
  const groups: (MessageItem | ToolResultItem[])[] = [];
  for (const item of items) {
    const lastGroup = groups.at(-1);
    if ("promptMessage" in item) groups.push(item);
    else if (Array.isArray(lastGroup)) lastGroup.push(item);
    else groups.push([item]);
  }
  return groups;
}

function toPromptMessages(
  group: MessageItem | readonly ToolResultItem[],
  target: ModelName,
): readonly LanguageModelV4Message[] {
  if (!("promptMessage" in group)) return toToolMessages(group, target);
  return [group.isMarked ? markMessage(group.promptMessage) : group.promptMessage];
}

function markMessage(message: LanguageModelV4Message): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { ...message, ...cacheControlOptions };
    case "user":
      return { ...message, content: markLastPart(message.content) };
    case "assistant":
      return { ...message, content: markLastPart(message.content) };
    case "tool":
      return { ...message, content: markLastPart(message.content) };
  }
}

export interface ConvertOptions {
  readonly target: ModelName;
  /** Tokens of the answer at most, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give; as many where nothing is said. */
  readonly modelMaxTokens?: number | undefined;
  /** Whose requests share a prefix; OpenAI sends those with the same key to the same cache. */
  readonly cacheKey?: string | undefined;
  /** False: it cannot think. It is not told to stop either, which would be refused. */
  readonly supportsThinking?: boolean | undefined;
  /** Under which its package reads provider options, where that is another name than the bundled package's. */
  readonly optionsKey?: string | undefined;
}

/** What `doStream` is called with; the caller adds its signal. */
export function buildCallOptions(request: Request, convertOptions: ConvertOptions): LanguageModelV4CallOptions {
  const { target, optionsKey } = convertOptions;
  const tools = buildTools(request, target);
  const options = {
    prompt: buildPrompt(request, target),
    ...(tools.length > 0 && { tools, toolChoice: toToolChoice(request.toolChoice) }),
    ...buildThinkingOptions(request, convertOptions),
  };
  return copyOptionsToKey(options, { api: target.api, optionsKey });
}

type ThinkingOptions = Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;

/** What people should know of a request that asks for less than they set; null for nothing. */
export function thinkingNotice(request: Request, convertOptions: ConvertOptions): string | null {
  if (convertOptions.supportsThinking !== false)
    return explainNoThinking(request, convertOptions.target, toReplyLimits(request, convertOptions));
  return request.thinking === "off"
    ? null
    : `${convertOptions.target.model} cannot think: the thinking level has no effect.`;
}

function toReplyLimits(
  { replyBudget: budget }: Request,
  { maxTokens, modelMaxTokens = maxTokens }: ConvertOptions,
): ReplyLimits {
  return { maxTokens, modelMaxTokens, reserve: budget?.reserve };
}

function buildThinkingOptions(request: Request, convertOptions: ConvertOptions): ThinkingOptions {
  const { target, maxTokens, supportsThinking = true } = convertOptions;
  const { thinking } = request;
  const providerOptions = buildProviderOptions(request, convertOptions);
  if (supportsThinking && thinking !== "off" && usesThinkingBudget(target)) {
    const budget = mayThink(request, target)
      ? computeThinkingBudget(thinking, toReplyLimits(request, convertOptions))
      : null;
    const anthropic = { ...providerOptions?.anthropic, ...toThinkingOptions(budget) };
    return { maxOutputTokens: maxTokens - (budget ?? 0), providerOptions: { anthropic } };
  }
  const reasoning = supportsThinking ? toReasoningLevel(thinking, target) : null;
  return { maxOutputTokens: maxTokens, ...(reasoning && { reasoning }), ...(providerOptions && { providerOptions }) };
}

function toToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}
