/** Loads AI SDK provider packages lazily: Anthropic, OpenAI, Google and OpenAI-compatible, or any installed one by name. */

import type { LanguageModelV4 } from "@ai-sdk/provider";

/** What a provider package needs to connect to one model. */
export interface ProviderConnection {
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** Loads a provider's package on demand, since loading is slow. */
export type LoadLanguageModel = (connection: ProviderConnection) => Promise<LanguageModelV4>;

/** The settings that all provider packages share. Absent ones are left to the package. */
function toPackageSettings({ baseUrl, apiKey, headers, fetch }: ProviderConnection): {
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

export async function loadAnthropic(connection: ProviderConnection): Promise<LanguageModelV4> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return createAnthropic(toPackageSettings(connection))(connection.model);
}

export async function loadOpenAiResponses(connection: ProviderConnection): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(toPackageSettings(connection)).responses(connection.model);
}

export async function loadOpenAiChat(connection: ProviderConnection): Promise<LanguageModelV4> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(toPackageSettings(connection)).chat(connection.model);
}

export async function loadGoogle(connection: ProviderConnection): Promise<LanguageModelV4> {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  return createGoogleGenerativeAI(toPackageSettings(connection))(connection.model);
}

/** `name` is the package's name in provider metadata. */
export function createOpenAiCompatibleLoader(
  name: string,
): (connection: ProviderConnection) => Promise<LanguageModelV4> {
  return async (connection) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { baseURL = "", ...rest } = toPackageSettings(connection);
    return createOpenAICompatible({ ...rest, name, baseURL, includeUsage: true })(connection.model);
  };
}

export type LoadPackageResult =
  | { readonly type: "loaded"; readonly languageModel: LanguageModelV4 }
  | { readonly type: "not-installed"; readonly package: string }
  | { readonly type: "not-a-provider"; readonly package: string }
  /** The package threw, for example because a setting is missing. */
  | { readonly type: "failed"; readonly message: string };

/** `importPackage` can resolve the name from the calling program, where its packages are installed. */
export async function loadPackage(
  packageName: string,
  connection: ProviderConnection,
  importPackage: (packageName: string) => Promise<Readonly<Record<string, unknown>>> = (specifier) => import(specifier),
): Promise<LoadPackageResult> {
  const imported = await importPackage(packageName).catch((error: unknown) => error);
  if (imported instanceof Error) {
    if ("code" in imported && String(imported.code).includes("MODULE_NOT_FOUND"))
      return { type: "not-installed", package: packageName };
    throw imported;
  }
  const languageModel = callOrError(() =>
    createLanguageModel(imported as Readonly<Record<string, unknown>>, connection),
  );
  if (languageModel instanceof Error) return { type: "failed", message: languageModel.message };
  return languageModel ? { type: "loaded", languageModel } : { type: "not-a-provider", package: packageName };
}

function callOrError<Value>(work: () => Value): Value | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Every provider package exports a function `create…` that returns a provider, a function from model name to model. */
function createLanguageModel(
  packageExports: Readonly<Record<string, unknown>>,
  connection: ProviderConnection,
): LanguageModelV4 | null {
  const factory = Object.entries(packageExports).find(
    ([name, value]) => /^create[A-Z]/.test(name) && typeof value === "function",
  );
  const provider = (factory?.[1] as ((settings: object) => unknown) | undefined)?.(toPackageSettings(connection));
  if (typeof provider !== "function") return null;
  const languageModel: unknown = provider(connection.model);
  return isLanguageModel(languageModel) ? languageModel : null;
}

function isLanguageModel(value: unknown): value is LanguageModelV4 {
  return (
    typeof value === "object" &&
    value !== null &&
    "specificationVersion" in value &&
    value.specificationVersion === "v4"
  );
}
