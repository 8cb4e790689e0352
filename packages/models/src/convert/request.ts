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
  assistantMessage,
  cacheMark,
  type GivenResult,
  markedLast,
  marksOf,
  resultMessages,
  type SaidTo,
  systemUpdate,
  type UpdateParts,
  userMessage,
} from "./messages.ts";
import {
  type AnswerSize,
  alsoNamed,
  budgeted,
  explainNoThinking,
  mayThink,
  providerOptionsFor,
  reasoningLevel,
  thinkingBudget,
  thinksWithinBudget,
} from "./provider-options.ts";
import { declaredSearch } from "./server-tools.ts";

/** The provider's own search, the tools the request began with, then those added since; each name once. */
export function declaredTools(
  request: Request,
  to: ModelName,
): (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[] {
  const search = declaredSearch(request, to);
  const functions = declaredFunctions(request, to);
  return search ? [search, ...functions] : functions;
}

// Those that were removed stay: without them the prefix would be another one. The text in place says that they are gone.
function declaredFunctions(request: Request, to: ModelName): LanguageModelV4FunctionTool[] {
  const byName = toolsByName(request);
  const isMarked = marksOf(request, to).some(({ after }) => after === "tools");
  return [...byName.values()].map((tool, index) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
    ...(isMarked && index === byName.size - 1 && cacheMark),
  }));
}

/** As each was first told of. */
function toolsByName({ tools, messages }: Request): ReadonlyMap<string, Tool> {
  const added = messages.flatMap((message) => (message.role === "system" ? (message.toolsAdded ?? []) : []));
  const byName = new Map<string, Tool>();
  for (const tool of [...tools, ...added])
    if (tool.from !== "provider" && !byName.has(tool.name)) byName.set(tool.name, tool);
  return byName;
}

export function promptOf(request: Request, to: ModelName): LanguageModelV4Prompt {
  const marks = marksOf(request, to);
  const runs = runsOf(placedMessages(request, marks, { to, searches: declaredSearch(request, to) !== null }));
  return [...leading(request, marks), ...runs.flatMap((run) => promptMessages(run, to))];
}

// One text: templates of many servers take one system message and no more.
function leading({ system }: Request, marks: readonly CacheMark[]): readonly LanguageModelV4Message[] {
  const content = system.map(({ text }) => text).join("\n\n");
  const isMarked = marks.some(({ after }) => after === "system");
  return content.trim() === "" ? [] : [{ role: "system", content, ...(isMarked && cacheMark) }];
}

interface Said {
  readonly said: LanguageModelV4Message;
  readonly marked: boolean;
}

type Placed = Said | GivenResult;

// A mark on what is not told stands on what was told before it.
function placedMessages({ messages, tools }: Request, marks: readonly CacheMark[], saidTo: SaidTo): readonly Placed[] {
  const indices = new Set(marks.flatMap((mark) => (mark.after === "message" ? [mark.index] : [])));
  const told = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]));
  const placed: Placed[] = [];
  messages.forEach((message, index) => {
    const marked = indices.has(index);
    const last = placed.at(-1);
    const said = saidMessage(message, { ...saidTo, told });
    if (message.role === "toolResult") placed.push({ message, marked });
    else if (said) placed.push({ said, marked });
    else if (marked && last) placed[placed.length - 1] = { ...last, marked };
    if (message.role === "system") for (const tool of message.toolsAdded ?? []) told.set(tool.name, tool);
  });
  return placed;
}

/** Null for what says nothing, and for results, which are told together. */
function saidMessage(message: Message, parts: UpdateParts & SaidTo): LanguageModelV4Message | null {
  switch (message.role) {
    case "system":
      return systemUpdate(message, parts);
    case "user":
      return message.content.length === 0 ? null : userMessage(message);
    case "assistant": {
      const said = assistantMessage(message, parts);
      return said.content.length === 0 ? null : said;
    }
    case "toolResult":
      return null;
  }
}

/** Results that stand together go together. */
function runsOf(placed: readonly Placed[]): readonly (Said | readonly GivenResult[])[] {
  const runs: (Said | GivenResult[])[] = [];
  for (const each of placed) {
    const last = runs.at(-1);
    if ("said" in each) runs.push(each);
    else if (Array.isArray(last)) last.push(each);
    else runs.push([each]);
  }
  return runs;
}

function promptMessages(run: Said | readonly GivenResult[], to: ModelName): readonly LanguageModelV4Message[] {
  if (!("said" in run)) return resultMessages(run, to);
  return [run.marked ? markedMessage(run.said) : run.said];
}

function markedMessage(message: LanguageModelV4Message): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { ...message, ...cacheMark };
    case "user":
      return { ...message, content: markedLast(message.content) };
    case "assistant":
      return { ...message, content: markedLast(message.content) };
    case "tool":
      return { ...message, content: markedLast(message.content) };
  }
}

export interface CallParts {
  readonly to: ModelName;
  /** Tokens of the answer at most, thoughts included. */
  readonly maxTokens: number;
  /** Tokens of the longest answer it can give; as many where nothing is said. */
  readonly longest?: number | undefined;
  /** Whose requests share a prefix; OpenAI sends those with the same key to the same cache. */
  readonly cacheKey?: string | undefined;
  /** False: it cannot think. It is not told to stop either, which would be refused. */
  readonly thinks?: boolean | undefined;
  /** Under which its package reads provider options, where that is another name than the bundled package's. */
  readonly optionsName?: string | undefined;
}

/** What `doStream` is called with; the caller adds its signal. */
export function callOptions(request: Request, parts: CallParts): LanguageModelV4CallOptions {
  const { to, optionsName } = parts;
  const tools = declaredTools(request, to);
  const options = {
    prompt: promptOf(request, to),
    ...(tools.length > 0 && { tools, toolChoice: choiceOf(request.toolChoice) }),
    ...thinkingAndLength(request, parts),
  };
  return alsoNamed(options, { api: to.api, optionsName });
}

type Thinking = Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;

/** What people should know of a request that asks for less than they set; null for nothing. */
export function thinkingNotice(request: Request, parts: CallParts): string | null {
  if (parts.thinks !== false) return explainNoThinking(request, parts.to, answerSize(request, parts));
  return request.thinking === "off" ? null : `${parts.to.model} cannot think: the thinking level has no effect.`;
}

function answerSize({ replyBudget: replyRoom }: Request, { maxTokens, longest = maxTokens }: CallParts): AnswerSize {
  return { maxTokens, longest, reserve: replyRoom?.reserve };
}

function thinkingAndLength(request: Request, parts: CallParts): Thinking {
  const { to, maxTokens, thinks = true } = parts;
  const { thinking } = request;
  const providerOptions = providerOptionsFor(request, parts);
  if (thinks && thinking !== "off" && thinksWithinBudget(to)) {
    const budget = mayThink(request, to) ? thinkingBudget(thinking, answerSize(request, parts)) : null;
    const anthropic = { ...providerOptions?.anthropic, ...budgeted(budget) };
    return { maxOutputTokens: maxTokens - (budget ?? 0), providerOptions: { anthropic } };
  }
  const reasoning = thinks ? reasoningLevel(thinking, to) : null;
  return { maxOutputTokens: maxTokens, ...(reasoning && { reasoning }), ...(providerOptions && { providerOptions }) };
}

function choiceOf(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}
