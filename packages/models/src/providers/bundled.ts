/** The provider packages that come along: Anthropic, OpenAI in both of its protocols, Google, and everyone who speaks like OpenAI. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Line, settingsOf } from "./line.ts";

export async function anthropic(line: Line): Promise<LanguageModelV4> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return createAnthropic(settingsOf(line))(line.model);
}

export async function openaiResponses(line: Line): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(settingsOf(line)).responses(line.model);
}

export async function openaiChat(line: Line): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(settingsOf(line)).chat(line.model);
}

export async function google(line: Line): Promise<LanguageModelV4> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  return createGoogleGenerativeAI(settingsOf(line))(line.model);
}

/** `name` is what the package calls itself in its metadata. */
export function compatible(name: string): (line: Line) => Promise<LanguageModelV4> {
  return async (line) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { baseURL = "", ...rest } = settingsOf(line);
    return createOpenAICompatible({ ...rest, name, baseURL, includeUsage: true })(line.model);
  };
}
