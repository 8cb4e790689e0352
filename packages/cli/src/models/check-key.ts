/** Lists the providers that a user can enter a key for, and tests a key with a request that costs nothing. */

import { parseModelIds } from "@pith/host/models/available-models";
import {
  baseUrlFromEnvironment,
  createEndpoint,
  createNetworkFetch,
  type Environment,
  type Provider,
  providers,
} from "@pith/models";

export interface ProviderOption {
  readonly provider: Provider;
  /** The display name. */
  readonly name: string;
  /** The page where the user creates a key. */
  readonly keyPage: string;
}

/** Returns null for a provider that is unknown or runs on this machine, and so needs no key. */
export function findProviderOption(id: string): ProviderOption | null {
  const provider = providers.find((candidate) => candidate.id === id);
  if (!provider || provider.isLocal) return null;
  const [name, keyPage] = KNOWN_PROVIDERS[provider.canonicalId ?? id] ?? [id, "the website of the server's operator"];
  return { provider, name, keyPage };
}

export function listProviderOptions(): readonly ProviderOption[] {
  return Object.keys(KNOWN_PROVIDERS).flatMap((id) => findProviderOption(id) ?? []);
}

const KNOWN_PROVIDERS: Readonly<Record<string, readonly [name: string, keyPage: string]>> = {
  anthropic: ["Anthropic (Claude)", "console.anthropic.com/settings/keys"],
  openai: ["OpenAI (GPT)", "platform.openai.com/api-keys"],
  google: ["Google (Gemini)", "aistudio.google.com/apikey"],
  openrouter: ["OpenRouter (many models)", "openrouter.ai/settings/keys"],
  xai: ["xAI (Grok)", "console.x.ai"],
  groq: ["Groq", "console.groq.com/keys"],
  cerebras: ["Cerebras", "cloud.cerebras.ai"],
  mistral: ["Mistral", "console.mistral.ai/api-keys"],
  deepseek: ["DeepSeek", "platform.deepseek.com/api_keys"],
  together: ["Together", "api.together.ai/settings/api-keys"],
  fireworks: ["Fireworks", "app.fireworks.ai/settings/users/api-keys"],
  moonshotai: ["Moonshot (Kimi)", "platform.moonshot.ai/console/api-keys"],
  zai: ["Z.ai (GLM)", "z.ai/manage-apikey/apikey-list"],
};

export type KeyCheck =
  | { readonly type: "accepted"; readonly models: readonly string[] }
  | { readonly type: "refused"; readonly status: number }
  /** The check has no result: there is no network, or the response is not understood. */
  | { readonly type: "unchecked"; readonly reason: string };

export interface KeyCheckOptions {
  readonly provider: Provider;
  readonly key: string;
  readonly environment: Environment;
  /** The address that requests with this key go to. Default: that of the environment or of the provider. */
  readonly baseUrl?: string | undefined;
  readonly signal?: AbortSignal;
}

export async function checkKey(options: KeyCheckOptions): Promise<KeyCheck> {
  const { provider, key, environment, signal } = options;
  const givenUrl = options.baseUrl ?? baseUrlFromEnvironment(provider, environment) ?? provider.baseUrl;
  if (givenUrl === undefined) return { type: "unchecked", reason: "the address of the server is not known" };
  const timeoutSignal = AbortSignal.any([AbortSignal.timeout(CHECK_TIMEOUT_MS), ...(signal ? [signal] : [])]);
  const { baseUrl, fetch } = createEndpoint(givenUrl, { ...provider, fetch: createNetworkFetch(environment) });
  try {
    const response = await fetch(`${baseUrl}${provider.id === "openrouter" ? "/key" : "/models"}`, {
      headers: createHeaders(provider, key),
      signal: timeoutSignal,
    });
    return parseResponse(response.status, await response.text());
  } catch (error) {
    return { type: "unchecked", reason: describeError(error) };
  }
}

const CHECK_TIMEOUT_MS = 10_000;

export function formatRefusedKey(name: string, status: number): string {
  return `${name} rejected this API key (${status}). Did you copy all of it?`;
}

/** Without a reason, the user has skipped the check. */
export function formatUncheckedKey(name: string, reason: string | null): string {
  const outcome =
    reason === null ? `The API key for ${name} was not checked` : `Could not check the API key with ${name}: ${reason}`;
  return `${outcome}. Your first message will show whether it works.`;
}

function createHeaders({ api }: Provider, key: string): Record<string, string> {
  if (api === "anthropic-messages") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return api === "google-generative-ai" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

function parseResponse(status: number, text: string): KeyCheck {
  // Google responds with 400 to an invalid key.
  const isRefused = status === 401 || status === 403 || (status === 400 && /api.?key/i.test(text));
  if (isRefused) return { type: "refused", status };
  if (status !== 200) return { type: "unchecked", reason: `the server returned HTTP ${status}` };
  try {
    return { type: "accepted", models: parseModelIds(JSON.parse(text)) };
  } catch {
    return { type: "unchecked", reason: "the response could not be parsed" };
  }
}

function describeError(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "no response within 10 seconds";
  const { code } = Object(error instanceof Error ? (error.cause ?? error) : error) as { readonly code?: unknown };
  return typeof code === "string" ? `the server could not be reached (${code})` : "the server could not be reached";
}
