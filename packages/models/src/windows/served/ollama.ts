/** Ollama: `num_ctx` of the model's own file, and what it is loaded with now. */

import { field, records, tokenCount } from "./answer.ts";
import type { Ask } from "./ask.ts";
import { assumedWindow, type Served } from "./served.ts";

export async function ollamaWindow(ask: Ask, model: string): Promise<Served | null> {
  const [version, shown, running] = await Promise.all([
    ask("/api/version"),
    ask("/api/show", { model }),
    ask("/api/ps"),
  ]);
  // Others answer /api/show too, to please Ollama's clients.
  if (typeof field(version, "version") !== "string" || shown === null) return null;
  const trained = trainedLength(shown);
  // Models that run on Ollama's own machines are served whole.
  if (field(shown, "remote_host") && trained)
    return { server: "ollama", window: trained, source: "configured", trained };
  return { ...served(configured(shown), loaded(running, model), trained), ...(trained ? { trained } : {}) };
}

/**
 * A model loaded by another client may have that client's `num_ctx`, and one loaded for us the file's: of two figures the
 * smaller is safe, and after our first reply both are ours. No model is given more than it was trained for.
 */
function served(configured: number | null, loaded: number | null, trained: number | null): Served {
  const figures = [configured, loaded].filter((figure) => figure !== null);
  if (figures.length === 0) return { server: "ollama", window: assumedWindow(trained), source: "assumed" };
  const window = Math.min(...figures, trained ?? Number.POSITIVE_INFINITY);
  return { server: "ollama", window, source: loaded === null ? "configured" : "loaded" };
}

/** `parameters` is text, one name and value a line. */
function configured(shown: unknown): number | null {
  const parameters = field(shown, "parameters");
  const [, figure] = typeof parameters === "string" ? (/^\s*num_ctx\s+(\d{1,9})\s*$/m.exec(parameters) ?? []) : [];
  return tokenCount(Number(figure));
}

function trainedLength(shown: unknown): number | null {
  const info = field(shown, "model_info");
  const architecture = field(info, "general.architecture");
  return typeof architecture === "string" ? tokenCount(field(info, `${architecture}.context_length`)) : null;
}

function loaded(running: unknown, model: string): number | null {
  const ours = records(field(running, "models")).find(({ name, model: own }) =>
    [name, own].some((each) => typeof each === "string" && tagged(each) === tagged(model)),
  );
  return tokenCount(ours?.context_length);
}

function tagged(model: string): string {
  const name = model.toLowerCase();
  return name.includes(":") ? name : `${name}:latest`;
}
