/** Asks Ollama, LM Studio, llama.cpp and vLLM for the context window they serve. Their answers are not trusted. */

import { assumedWindow, isLocal, type Served } from "./context-window.ts";

/** A count of tokens as servers write it, or null. */
export function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** A field of something that may be no object. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

/** The objects of a list that may be no list. */
export function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** GET, or POST where there is a body. The path begins with a slash. */
export type Ask = (path: string, body?: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface AskParts {
  readonly baseUrl: string;
  /** Such as the key for this host; they go to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 1_048_576;

/** Bounded in bytes, and in time by `signal`; never follows a redirect. Null for anything but JSON with status 200. */
export function asking({ baseUrl, headers = {}, fetch = globalThis.fetch, signal }: AskParts): Ask {
  const root = rootOf(baseUrl);
  return async (path, body) => {
    try {
      const post = body ? { method: "POST", body: JSON.stringify(body) } : {};
      // A redirect would carry the key to whoever the server names.
      const own = { ...headers, ...(body ? { "content-type": "application/json" } : {}) };
      const answer = await fetch(`${root}${path}`, { ...post, headers: own, redirect: "manual", signal });
      if (answer.status !== 200) return await dropped(answer);
      return JSON.parse(await bounded(answer));
    } catch {
      return null; // Not this server, not now, or no JSON: to the question they are all the same answer.
    }
  };
}

/** The interfaces of these servers stand beside each other under one root, `/v1` and `/api`. */
function rootOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/(?:v\d|api))+$/, "");
}

async function bounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

async function dropped(answer: Response): Promise<null> {
  await answer.body?.cancel();
  return null;
}

/** The window of one slot, which is what one conversation gets. */
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

/** The window a model is loaded with; the most that the model could take is another figure. */
export async function lmStudioWindow(ask: Ask, model: string): Promise<Served | null> {
  const shown = await ask(`/api/v0/models/${encodeURIComponent(model).replaceAll("%2F", "/")}`);
  const trained = tokenCount(field(shown, "max_context_length"));
  // It answers unknown paths with status 200 and an error.
  if (field(shown, "object") !== "model" || trained === null) return null;
  const loaded = field(shown, "state") === "loaded" ? tokenCount(field(shown, "loaded_context_length")) : null;
  if (loaded === null) return { server: "lm-studio", window: assumedWindow(trained), source: "assumed", trained };
  return { server: "lm-studio", window: loaded, source: "loaded", trained };
}

/** From `num_ctx` in the model's own file, and from what the model is loaded with now. */
export async function ollamaWindow(ask: Ask, model: string): Promise<Served | null> {
  const [version, shown, running] = await Promise.all([
    ask("/api/version"),
    ask("/api/show", { model }),
    ask("/api/ps"),
  ]);
  // Others answer /api/show too, to please Ollama's clients.
  if (typeof field(version, "version") !== "string" || shown === null) return null;
  const trained = trainedLength(shown);
  const abilities = toolsIn(field(shown, "capabilities"));
  // Models that run on Ollama's own machines are served whole.
  if (field(shown, "remote_host") && trained)
    return { server: "ollama", window: trained, source: "configured", trained, ...abilities };
  const figures = served(configured(shown), loaded(running, model), trained);
  return { ...figures, ...(trained ? { trained } : {}), ...abilities };
}

/** Older versions do not say what a model can do. */
function toolsIn(capabilities: unknown): Pick<Served, "takesTools"> {
  return Array.isArray(capabilities) && !capabilities.includes("tools") ? { takesTools: false } : {};
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

/** Also of servers that are compatible with vLLM: the longest sequence is part of the list of models. */
export async function vllmWindow(ask: Ask, model: string): Promise<Served | null> {
  const entries = records(field(await ask("/v1/models"), "data"));
  const ours = entries.find(({ id }) => id === model);
  const window = tokenCount(ours?.max_model_len);
  return window === null ? null : { server: "vllm", window, source: "loaded" };
}

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
 * Asks in a bounded time, whichever server it is, and never throws.
 *
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
