/** Lists the providers that the first start offers, and tests a key with a request that costs nothing. */

import { createNetworkFetch, type Environment, type Provider, providers } from "@pith/models";
import { modelIds } from "../../../models/available-models.ts";

export interface House {
  readonly provider: Provider;
  /** For people. */
  readonly name: string;
  /** Where one gets a key. */
  readonly keysAt: string;
}

/** Null for a provider that needs no key, or that nobody knows. */
export function houseOf(id: string): House | null {
  const provider = providers.find((each) => each.id === id);
  if (!provider || provider.keyVariables.length === 0) return null;
  const [name, keysAt] = known[provider.canonicalId ?? id] ?? [id, `the pages of ${id}`];
  return { provider, name, keysAt };
}

export function houses(): readonly House[] {
  return Object.keys(known).flatMap((id) => houseOf(id) ?? []);
}

const known: Readonly<Record<string, readonly [name: string, keysAt: string]>> = {
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

export type Verdict =
  | { readonly type: "accepted"; readonly models: readonly string[] }
  | { readonly type: "refused"; readonly status: number }
  /** Nobody could say: no network, or an answer that means nothing. */
  | { readonly type: "unchecked"; readonly why: string };

export interface Trying {
  readonly provider: Provider;
  readonly key: string;
  readonly environment: Environment;
  readonly signal?: AbortSignal;
}

export async function tryKey({ provider, key, environment, signal }: Trying): Promise<Verdict> {
  const bound = AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])]);
  try {
    const url = `${addressOf(provider, environment)}${provider.id === "openrouter" ? "/key" : "/models"}`;
    const answer = await createNetworkFetch(environment)(url, { headers: headersOf(provider, key), signal: bound });
    return verdictOf(answer.status, await answer.text());
  } catch (error) {
    return { type: "unchecked", why: whyOf(error) };
  }
}

const PATIENCE = 10_000;

/** Some write only the host into the variable, as other programs want it. */
function addressOf({ baseUrlVariable, baseUrl = "" }: Provider, environment: Environment): string {
  const own = baseUrlVariable && environment[baseUrlVariable]?.trim();
  if (!own) return baseUrl;
  return URL.parse(own)?.pathname === "/" ? `${own.replace(/\/$/, "")}/v1` : own;
}

function headersOf({ api }: Provider, key: string): Record<string, string> {
  if (api === "anthropic-messages") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  return api === "google-generative-ai" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

function verdictOf(status: number, text: string): Verdict {
  // Google says 400 to a key that is none.
  const isRefused = status === 401 || status === 403 || (status === 400 && /api.?key/i.test(text));
  if (isRefused) return { type: "refused", status };
  if (status !== 200) return { type: "unchecked", why: `it answered ${status}` };
  try {
    return { type: "accepted", models: modelIds(JSON.parse(text)) };
  } catch {
    return { type: "unchecked", why: "it answered something that cannot be read" };
  }
}

function whyOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "no answer came within 10 seconds";
  const { code } = Object(error instanceof Error ? (error.cause ?? error) : error) as { readonly code?: unknown };
  return typeof code === "string" ? `it could not be reached (${code})` : "it could not be reached";
}
