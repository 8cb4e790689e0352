/** vLLM, and servers that speak as it does: the longest sequence is part of its list of models. */

import { field, records, tokenCount } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Served } from "./served.ts";

export async function vllmWindow(ask: Ask, model: string): Promise<Served | null> {
  const entries = records(field(await ask("/v1/models"), "data"));
  const ours = entries.find(({ id }) => id === model);
  const window = tokenCount(ours?.max_model_len);
  return window === null ? null : { server: "vllm", window, source: "loaded" };
}
