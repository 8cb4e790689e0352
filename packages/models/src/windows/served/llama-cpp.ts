/** llama.cpp's server: the window of one slot, which is what one conversation gets. */

import { field, records, tokenCount } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Served } from "./served.ts";

export async function llamaCppWindow(ask: Ask, model: string): Promise<Served | null> {
  const query = `model=${encodeURIComponent(model)}&autoload=false`;
  // One that serves several models answers by name; asking must not make it load one.
  const [props, listed] = await Promise.all([ask(`/props?${query}`), ask("/v1/models")]);
  const entry = modelEntry(listed, model);
  const window =
    tokenCount(field(props, "default_generation_settings", "n_ctx")) ?? tokenCount(field(entry, "meta", "n_ctx"));
  if (window === null) return null;
  const trained = tokenCount(field(entry, "meta", "n_ctx_train"));
  return { server: "llama.cpp", window, source: "loaded", ...(trained ? { trained } : {}) };
}

/** With one model loaded, its name does not matter: the server answers to any. */
function modelEntry(listed: unknown, model: string): unknown {
  const entries = records(field(listed, "data"));
  return entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : undefined);
}
