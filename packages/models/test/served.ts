/** Real provider packages with a scripted server, for tests. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Model, ModelEvent, ModelName, Request } from "@pith/context";
import { type AiSdkModelOptions, createAiSdkModel } from "../src/ai-sdk-model.ts";

/** A thinking model for each protocol. */
export const names: readonly ModelName[] = [
  { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" },
  { api: "openai-responses", provider: "openai", model: "gpt-5.1" },
  { api: "openai-completions", provider: "local", model: "qwen3" },
  { api: "google-generative-ai", provider: "google", model: "gemini-3-pro-preview" },
];

/** OpenAI's own package for the chat protocol. */
export const openaiChat: ModelName = { api: "openai-completions", provider: "openai", model: "gpt-4.1" };

function languageModel({ api, provider, model }: ModelName, url: string): LanguageModelV4 {
  const apiKey = "sk-very-secret-key-1234";
  switch (api) {
    case "anthropic-messages":
      return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model);
    case "openai-responses":
      return createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model);
    case "google-generative-ai":
      return createGoogle({ baseURL: `${url}/v1beta`, apiKey })(model);
    default:
      if (provider === "openai") return createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat(model);
      return createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, apiKey, includeUsage: true })(model);
  }
}

export function modelAt(url: string, name: ModelName, more: Partial<AiSdkModelOptions> = {}): Model {
  return createAiSdkModel({
    languageModel: languageModel(name, url),
    modelName: name,
    contextWindow: 200_000,
    maxTokens: 8000,
    runtime: { now: () => 1_000_000 },
    ...more,
  });
}

export async function eventsOf(model: Model, request: Request, signal?: AbortSignal): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal ? { signal } : {})) events.push(event);
  return events;
}

export async function lastOf(model: Model, request: Request): Promise<ModelEvent | undefined> {
  return (await eventsOf(model, request)).at(-1);
}
