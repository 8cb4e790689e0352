/** Implements the OpenAI Chat Completions dialect: reasoning is plain text, which some providers take back and others refuse. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantMessage } from "@pith/context";
import { type Dialect, reasoningFields, unsigned } from "./dialect.ts";
import { gemini } from "./gemini.ts";

export function openaiCompletions(provider: string): Dialect {
  return withoutThoughts.has(provider) ? silent : telling;
}

// Groq and Cerebras refuse a message that has the field, the others have no use for it.
const withoutThoughts: ReadonlySet<string> = new Set([
  "groq",
  "cerebras",
  "mistral",
  "xai",
  "together",
  "fireworks",
  "openai",
]);

// The package reads two fields and does not say which it was; it writes this one.
const USUAL_FIELD = "reasoning_content";

const silent: Dialect = {
  ...unsigned,
  // Gemini behind this protocol signs its calls all the same.
  sentCall: gemini.sentCall,
  callFields: gemini.callFields,
  thinkingFields: ({ parts }) => (parts.some(({ text }) => text !== "") ? { thinkingSignature: USUAL_FIELD } : {}),
};

const telling: Dialect = {
  ...silent,
  sentThinking: ({ thinking, thinkingSignature }) =>
    thinkingSignature === USUAL_FIELD ? [{ type: "reasoning", text: thinking }] : [],
  sentOptions,
};

/** The package writes what stands here into the message as it is. */
function sentOptions({ content }: AssistantMessage): SharedV4ProviderOptions | undefined {
  const fields: Record<string, string> = {};
  for (const block of content) {
    const field = block.type === "thinking" ? block.thinkingSignature : undefined;
    if (block.type !== "thinking" || !field || field === USUAL_FIELD || !reasoningFields.includes(field)) continue;
    fields[field] = (fields[field] ?? "") + block.thinking;
  }
  return Object.keys(fields).length > 0 ? { openaiCompatible: fields } : undefined;
}
