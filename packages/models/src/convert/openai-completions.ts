/** Implements the OpenAI Chat Completions protocol: reasoning is plain text, which some providers accept back and others refuse. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantMessage, ModelName, ThinkingLevel } from "@pith/context";
import { gemini } from "./gemini.ts";
import { isEarlyReasoningModel, nearestReasoningLevel } from "./openai-responses.ts";
import { baseProtocol, type Protocol, type ReasoningLevel, reasoningFields } from "./protocol.ts";

export function findOpenAiCompletions(provider: string): Protocol {
  if (provider === "openai") return openAi;
  return providersRefusingReasoning.has(provider) ? withoutReasoning : withReasoning;
}

// Groq and Cerebras refuse a message with the field; the others ignore it.
const providersRefusingReasoning: ReadonlySet<string> = new Set([
  "groq",
  "cerebras",
  "mistral",
  "xai",
  "together",
  "fireworks",
]);

// The package reads two fields without telling which one it found, and writes this one.
const DEFAULT_REASONING_FIELD = "reasoning_content";

const withoutReasoning: Protocol = {
  ...baseProtocol,
  optionsKey: "openai",
  // The package would put an error into JSON with every line break escaped, and the protocol has no field for errors.
  supportsErrorResults: false,
  resultImages: "separate",
  toReasoningLevel: (level) => (level === "off" ? null : nearestReasoningLevel(level)),
  // Gemini signs its calls over this protocol too.
  toCallPart: gemini.toCallPart,
  readCallFields: gemini.readCallFields,
  readThinkingFields: ({ parts }) =>
    parts.some(({ text }) => text !== "") ? { thinkingSignature: DEFAULT_REASONING_FIELD } : {},
};

const openAi: Protocol = {
  ...withoutReasoning,
  // The chat templates of most other servers allow a system message only at the beginning.
  supportsLaterSystemMessages: true,
  buildProviderOptions: (_, { cacheKey }) => (cacheKey === undefined ? null : { openai: { promptCacheKey: cacheKey } }),
  toReasoningLevel: toOpenAiReasoningLevel,
};

function toOpenAiReasoningLevel(level: ThinkingLevel, target: ModelName): ReasoningLevel | null {
  if (level === "off") return null;
  return isEarlyReasoningModel(target) ? nearestReasoningLevel(level) : level;
}

const withReasoning: Protocol = {
  ...withoutReasoning,
  toReasoningParts: ({ thinking, thinkingSignature }) =>
    thinkingSignature === DEFAULT_REASONING_FIELD ? [{ type: "reasoning", text: thinking }] : [],
  toMessageOptions,
};

/** The package copies these options into the message. */
function toMessageOptions({ content }: AssistantMessage): SharedV4ProviderOptions | undefined {
  const fields: Record<string, string> = {};
  for (const block of content) {
    const field = block.type === "thinking" ? block.thinkingSignature : undefined;
    if (block.type !== "thinking" || !field || field === DEFAULT_REASONING_FIELD || !reasoningFields.includes(field))
      continue;
    fields[field] = (fields[field] ?? "") + block.thinking;
  }
  return Object.keys(fields).length > 0 ? { openaiCompatible: fields } : undefined;
}
