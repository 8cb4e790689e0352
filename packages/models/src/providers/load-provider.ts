/** Loads AI SDK provider packages lazily: Anthropic, OpenAI, Google and OpenAI-compatible, or any installed one by name. */

import type { LanguageModelV4 } from "@ai-sdk/provider";

/** What a provider package needs to connect to one model. */
export interface Line {
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** Loads a provider's package, which costs a start's time, only when somebody wants to talk to it. */
export type Connect = (line: Line) => Promise<LanguageModelV4>;

/** The settings that all provider packages take by the same names; what is not said is left to them. */
export function settingsOf({ baseUrl, apiKey, headers, fetch }: Line): {
  baseURL?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  fetch: typeof globalThis.fetch;
} {
  return {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(headers && { headers: { ...headers } }),
    fetch,
  };
}

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

export type Loaded =
  | { readonly type: "loaded"; readonly language: LanguageModelV4 }
  | { readonly type: "not-installed"; readonly package: string }
  | { readonly type: "not-a-provider"; readonly package: string }
  /** It wants something that it was not given. */
  | { readonly type: "unwilling"; readonly message: string };

/** `find` resolves a name as the program that asks would: packages lie beside it, not beside us. */
export async function onDemand(
  name: string,
  line: Line,
  find: (name: string) => Promise<Readonly<Record<string, unknown>>> = (wanted) => import(wanted),
): Promise<Loaded> {
  const found = await find(name).catch((error: unknown) => error);
  if (found instanceof Error) {
    if ("code" in found && String(found.code).includes("MODULE_NOT_FOUND"))
      return { type: "not-installed", package: name };
    throw found;
  }
  const language = attempted(() => languageOf(found as Readonly<Record<string, unknown>>, line));
  if (language instanceof Error) return { type: "unwilling", message: language.message };
  return language ? { type: "loaded", language } : { type: "not-a-provider", package: name };
}

function attempted<Value>(work: () => Value): Value | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Every provider package exports one function `create…` that makes a provider, which makes a model of a name. */
function languageOf(exports: Readonly<Record<string, unknown>>, line: Line): LanguageModelV4 | null {
  const create = Object.entries(exports).find(
    ([name, value]) => /^create[A-Z]/.test(name) && typeof value === "function",
  );
  const provider = (create?.[1] as ((settings: object) => unknown) | undefined)?.(settingsOf(line));
  if (typeof provider !== "function") return null;
  const language: unknown = provider(line.model);
  return isLanguageModel(language) ? language : null;
}

function isLanguageModel(value: unknown): value is LanguageModelV4 {
  return (
    typeof value === "object" &&
    value !== null &&
    "specificationVersion" in value &&
    value.specificationVersion === "v4"
  );
}
