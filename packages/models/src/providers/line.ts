/** A line to a provider: which model, where, with which key. What every provider package is made of. */

import type { LanguageModelV4 } from "@ai-sdk/provider";

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
