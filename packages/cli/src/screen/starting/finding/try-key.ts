/** Asks a provider whether it takes a key, by a question that costs nothing: which models there are. */

import { type Environment, networkFetch, type Provider } from "@pith/models";
import { modelIds } from "./model-ids.ts";

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
    const answer = await networkFetch(environment)(url, { headers: headersOf(provider, key), signal: bound });
    return verdictOf(answer.status, await answer.text());
  } catch (error) {
    return { type: "unchecked", why: whyOf(error) };
  }
}

const PATIENCE = 10_000;

/** Some write only the host into the variable, as other programs want it. */
function addressOf({ address, baseUrl = "" }: Provider, environment: Environment): string {
  const own = address && environment[address]?.trim();
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
