/** Asks a server of models, whichever it is, for the window it serves: in a bounded time, and without throwing. */

import { isLocal } from "../endpoint.ts";
import { type Ask, asking } from "./ask.ts";
import { llamaCppWindow } from "./llama-cpp.ts";
import { lmStudioWindow } from "./lm-studio.ts";
import { ollamaWindow } from "./ollama.ts";
import type { Served } from "./served.ts";
import { vllmWindow } from "./vllm.ts";

export interface ServedParts {
  readonly baseUrl: string;
  readonly model: string;
  /** Whether the endpoint is of the openai-compatible kind; others are asked only when they are on one's own machines. */
  readonly compatible?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Milliseconds for all questions together. */
  readonly within?: number;
}

const servers: readonly ((ask: Ask, model: string) => Promise<Served | null>)[] = [
  ollamaWindow,
  lmStudioWindow,
  llamaCppWindow,
  vllmWindow,
];

/**
 * @example
 * const served = await servedWindow({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3-coder:30b" });
 */
export async function servedWindow(parts: ServedParts): Promise<Served | null> {
  const { baseUrl, model, compatible = false, headers, fetch, signal, within = 1_500 } = parts;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "") || !(compatible || isLocal(baseUrl))) return null;
  const answered = new AbortController();
  const timeout = AbortSignal.timeout(within);
  const bound = AbortSignal.any([answered.signal, timeout, ...(signal ? [signal] : [])]);
  const ask = asking({ baseUrl, headers, fetch, signal: bound });
  const answer = await firstCertain(servers.map((server) => server(ask, model)));
  answered.abort();
  return answer;
}

/** The first answer that is sure of itself; when all have spoken and none is, one that is not. */
function firstCertain(answers: readonly Promise<Served | null>[]): Promise<Served | null> {
  const certain = answers.map(async (answer) => {
    const served = await answer;
    if (served === null || served.source === "assumed") throw new Error("not certain");
    return served;
  });
  return Promise.any(certain).catch(async () => (await Promise.all(answers)).find((served) => served !== null) ?? null);
}
