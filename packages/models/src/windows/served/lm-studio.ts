/** LM Studio: the window a model is loaded with; what the model could take at most is another figure. */

import { field, tokenCount } from "./answer.ts";
import type { Ask } from "./ask.ts";
import { assumedWindow, type Served } from "./served.ts";

export async function lmStudioWindow(ask: Ask, model: string): Promise<Served | null> {
  const shown = await ask(`/api/v0/models/${encodeURIComponent(model).replaceAll("%2F", "/")}`);
  const trained = tokenCount(field(shown, "max_context_length"));
  // It answers unknown paths with status 200 and an error.
  if (field(shown, "object") !== "model" || trained === null) return null;
  const loaded = field(shown, "state") === "loaded" ? tokenCount(field(shown, "loaded_context_length")) : null;
  if (loaded === null) return { server: "lm-studio", window: assumedWindow(trained), source: "assumed", trained };
  return { server: "lm-studio", window: loaded, source: "loaded", trained };
}
