/** Implements the OpenAI Chat Completions dialect: reasoning is plain text, which some providers take back and others refuse. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantMessage } from "@pith/context";
import { gemini } from "./gemini.ts";
import { baseProtocol, type Protocol, reasoningFields } from "./protocol.ts";

export function findOpenAiCompletions(provider: string): Protocol {
  return providersRefusingReasoning.has(provider) ? withoutReasoning : withReasoning;
}

// Groq and Cerebras refuse a message that has the field, the others have no use for it.
const providersRefusingReasoning: ReadonlySet<string> = new Set([
  "groq",
  "cerebras",
  "mistral",
  "xai",
  "together",
  "fireworks",
  "openai",
]);

// The package reads two fields and does not say which it was; it writes this one.
const DEFAULT_REASONING_FIELD = "reasoning_content";

const withoutReasoning: Protocol = {
  ...baseProtocol,
  // Gemini behind this protocol signs its calls all the same.
  toCallPart: gemini.toCallPart,
  readCallFields: gemini.readCallFields,
  readThinkingFields: ({ parts }) =>
    parts.some(({ text }) => text !== "") ? { thinkingSignature: DEFAULT_REASONING_FIELD } : {},
};

const withReasoning: Protocol = {
  ...withoutReasoning,
  toReasoningParts: ({ thinking, thinkingSignature }) =>
    thinkingSignature === DEFAULT_REASONING_FIELD ? [{ type: "reasoning", text: thinking }] : [],
  toMessageOptions,
};

/** The package writes what stands here into the message as it is. */
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
