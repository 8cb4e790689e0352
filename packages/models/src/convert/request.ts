/** Converts a request to the AI SDK's call options: prompt, tools, thinking and output length. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { CacheMark, Message, ModelName, Request, Tool, ToolChoice } from "@pith/context";
import { cacheControlOptions, markLastPart } from "./anthropic.ts";
import { findProtocol } from "./find-protocol.ts";
import {
  type PromptTarget,
  type SystemUpdateOptions,
  type ToolResultItem,
  toAssistantMessage,
  toSystemUpdate,
  toToolMessages,
  toUserMessage,
} from "./messages.ts";
import type { ConvertOptions, ReplyOptions } from "./protocol.ts";
import { findRequestedSearch } from "./web-search.ts";

/** The options of `doStream`; the caller adds its signal. */
export function buildCallOptions(request: Request, convertOptions: ConvertOptions): LanguageModelV4CallOptions {
  const { target, optionsKey } = convertOptions;
  const tools = buildTools(request, target);
  const options = {
    prompt: buildPrompt(request, target),
    ...(tools.length > 0 && { tools, toolChoice: toToolChoice(request.toolChoice) }),
    ...buildReplyOptions(request, convertOptions),
  };
  const bundledKey = findProtocol(target).optionsKey;
  return optionsKey === undefined || bundledKey === null
    ? options
    : copyOptionsToKey(options, { bundledKey, optionsKey });
}

/** The provider's own search, the tools at the start of the request, then the tools added later; each name once. */
function buildTools(
  request: Request,
  target: ModelName,
): (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[] {
  const search = findRequestedSearch(request, target);
  const functions = buildFunctionTools(request, target);
  return search ? [search, ...functions] : functions;
}

// Removed tools stay declared, to preserve the cached prefix. A system update tells the model that they were removed.
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

/** Each tool as it was first declared. */
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

// One message: the chat templates of many servers accept only one system message.
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

// A mark on a message that is not sent moves to the item before it.
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

/** Null for an empty message, and for a result: consecutive results share one message. */
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

function selectCacheMarks({ cacheMarks }: Request, target: ModelName): readonly CacheMark[] {
  return findProtocol(target).selectCacheMarks(cacheMarks);
}

function toToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function buildReplyOptions(request: Request, convertOptions: ConvertOptions): ReplyOptions {
  const { target, maxTokens, supportsThinking = true } = convertOptions;
  const protocol = findProtocol(target);
  const budgetOptions = supportsThinking ? protocol.buildBudgetOptions?.(request, convertOptions) : null;
  if (budgetOptions) return budgetOptions;
  const providerOptions = protocol.buildProviderOptions(request, convertOptions);
  const reasoning = supportsThinking ? protocol.toReasoningLevel(request.thinking, target) : null;
  return { maxOutputTokens: maxTokens, ...(reasoning && { reasoning }), ...(providerOptions && { providerOptions }) };
}

interface OptionsKeys {
  readonly bundledKey: string;
  readonly optionsKey: string;
}

// Azure's package uses OpenAI's protocol but reads its options under a key of its own.
// The bundled key stays: packages built on Anthropic's read signatures only under that key.
function copyOptionsToKey(options: LanguageModelV4CallOptions, keys: OptionsKeys): LanguageModelV4CallOptions {
  const withCopy = <Each extends HasProviderOptions>(item: Each): Each => copyProviderOptions(item, keys);
  const prompt = options.prompt.map((message) =>
    typeof message.content === "string"
      ? withCopy(message)
      : withCopy({
          ...message,
          content: (message.content as HasProviderOptions[]).map(withCopy),
        } as LanguageModelV4Message),
  );
  return withCopy({
    ...options,
    prompt,
    ...(options.tools && { tools: options.tools.map((tool) => (tool.type === "function" ? withCopy(tool) : tool)) }),
  });
}

interface HasProviderOptions {
  readonly providerOptions?: SharedV4ProviderOptions;
}

function copyProviderOptions<Each extends HasProviderOptions>(
  item: Each,
  { bundledKey, optionsKey }: OptionsKeys,
): Each {
  const fields = item.providerOptions?.[bundledKey];
  return fields ? { ...item, providerOptions: { ...item.providerOptions, [optionsKey]: fields } } : item;
}

/** Explains why a reply will not think although the request asks for it; null if it will, or was not asked to. */
export function thinkingNotice(request: Request, convertOptions: ConvertOptions): string | null {
  const { target, supportsThinking = true } = convertOptions;
  if (supportsThinking) return findProtocol(target).explainNoThinking?.(request, convertOptions) ?? null;
  return request.thinking === "off"
    ? null
    : `${target.model} does not support thinking; the thinking level has no effect.`;
}
