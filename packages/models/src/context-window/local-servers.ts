/** Asks Ollama, LM Studio, llama.cpp and vLLM for the context window they serve. Their answers are not trusted. */

import { isRecord } from "../json.ts";
import { createAssumedWindow, isLocal, type ServedWindow } from "./choose-window.ts";

/**
 * Asks every kind of server at once, in bounded time. Never throws.
 *
 * @example
 * const served = await probeServedWindow({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3-coder:30b" });
 */
export async function probeServedWindow(options: ProbeOptions): Promise<ServedWindow | null> {
  const { baseUrl, model, isOpenAiCompatible = false, headers, fetch, signal, timeoutMs = 1_500 } = options;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "") || !(isOpenAiCompatible || isLocal(baseUrl))) return null;
  const doneController = new AbortController();
  const timeout = AbortSignal.timeout(timeoutMs);
  const combinedSignal = AbortSignal.any([doneController.signal, timeout, ...(signal ? [signal] : [])]);
  const queryServer = createServerQuery({ baseUrl, headers, fetch, signal: combinedSignal });
  const served = await firstConfirmed(serverQueries.map((query) => query(queryServer, model)));
  doneController.abort();
  return served;
}

export interface ProbeOptions {
  readonly baseUrl: string;
  readonly model: string;
  /** Whether the endpoint is OpenAI-compatible. Other endpoints are asked only if they are local. */
  readonly isOpenAiCompatible?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** The time limit of all queries together. */
  readonly timeoutMs?: number;
}

const serverQueries: readonly ((queryServer: ServerQuery, model: string) => Promise<ServedWindow | null>)[] = [
  queryOllama,
  queryLmStudio,
  queryLlamaCpp,
  queryVllm,
];

/** The first answer that is not assumed; an assumed one if there is no other. */
function firstConfirmed(results: readonly Promise<ServedWindow | null>[]): Promise<ServedWindow | null> {
  const confirmed = results.map(async (result) => {
    const served = await result;
    if (served === null || served.source === "assumed") throw new Error("not certain");
    return served;
  });
  return Promise.any(confirmed).catch(
    async () => (await Promise.all(results)).find((served) => served !== null) ?? null,
  );
}

/** Bounded in bytes, and in time by `signal`; never follows a redirect. Null for anything but JSON with status 200. */
function createServerQuery({
  baseUrl,
  headers = {},
  fetch = globalThis.fetch,
  signal,
}: ServerQueryOptions): ServerQuery {
  const rootUrl = serverRoot(baseUrl);
  return async (path, body) => {
    try {
      const postOptions = body ? { method: "POST", body: JSON.stringify(body) } : {};
      // A redirect could send the key to another host.
      const requestHeaders = { ...headers, ...(body ? { "content-type": "application/json" } : {}) };
      const response = await fetch(`${rootUrl}${path}`, {
        ...postOptions,
        headers: requestHeaders,
        redirect: "manual",
        signal,
      });
      if (response.status !== 200) return await discardResponse(response);
      return JSON.parse(await readBoundedText(response));
    } catch {
      return null; // Another server, no connection or no JSON: none of them is an answer.
    }
  };
}

export interface ServerQueryOptions {
  readonly baseUrl: string;
  /** For example the key of this host. They are sent to no other host. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal: AbortSignal;
}

/** Sends GET, or POST with a body. The path begins with a slash. */
export type ServerQuery = (path: string, body?: Readonly<Record<string, unknown>>) => Promise<unknown>;

const MAX_RESPONSE_BYTES = 1_048_576;

/** The APIs of these servers share one root: `/v1` and `/api`. */
function serverRoot(baseUrl: string): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/(?:\/(?:v\d|api))+$/, "");
}

async function readBoundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`more than ${MAX_RESPONSE_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

async function discardResponse(response: Response): Promise<null> {
  await response.body?.cancel();
  return null;
}

/** Reads `num_ctx` from the model's file, and the window that the model is loaded with. */
async function queryOllama(queryServer: ServerQuery, model: string): Promise<ServedWindow | null> {
  const [version, modelInfo, runningModels] = await Promise.all([
    queryServer("/api/version"),
    queryServer("/api/show", { model }),
    queryServer("/api/ps"),
  ]);
  // Other servers answer /api/show too, for compatibility with Ollama.
  if (typeof readField(version, "version") !== "string" || modelInfo === null) return null;
  const trained = readTrainedWindow(modelInfo);
  const toolSupport = readToolSupport(readField(modelInfo, "capabilities"));
  // Models that run in Ollama's cloud are served with their full window.
  if (readField(modelInfo, "remote_host") && trained)
    return { server: "ollama", window: trained, source: "configured", trained, ...toolSupport };
  const windowFields = chooseOllamaWindow(
    readConfiguredWindow(modelInfo),
    readLoadedWindow(runningModels, model),
    trained,
  );
  return { ...windowFields, ...(trained ? { trained } : {}), ...toolSupport };
}

/** Older versions do not list capabilities. */
function readToolSupport(capabilities: unknown): Pick<ServedWindow, "takesTools"> {
  return Array.isArray(capabilities) && !capabilities.includes("tools") ? { takesTools: false } : {};
}

/**
 * A model loaded by another client may have that client's `num_ctx`; our request loads it with the file's. The smaller
 * figure is safe, and after our first reply both are the same. A window is never larger than the trained one.
 */
function chooseOllamaWindow(
  configuredWindow: number | null,
  loadedWindow: number | null,
  trainedWindow: number | null,
): ServedWindow {
  const figures = [configuredWindow, loadedWindow].filter((figure) => figure !== null);
  if (figures.length === 0) return { server: "ollama", window: createAssumedWindow(trainedWindow), source: "assumed" };
  const window = Math.min(...figures, trainedWindow ?? Number.POSITIVE_INFINITY);
  return { server: "ollama", window, source: loadedWindow === null ? "configured" : "loaded" };
}

/** `parameters` is text with one name and value per line. */
function readConfiguredWindow(modelInfo: unknown): number | null {
  const parameters = readField(modelInfo, "parameters");
  const [, digits] = typeof parameters === "string" ? (/^\s*num_ctx\s+(\d{1,9})\s*$/m.exec(parameters) ?? []) : [];
  return toTokenCount(Number(digits));
}

function readTrainedWindow(modelInfo: unknown): number | null {
  const info = readField(modelInfo, "model_info");
  const architecture = readField(info, "general.architecture");
  return typeof architecture === "string" ? toTokenCount(readField(info, `${architecture}.context_length`)) : null;
}

function readLoadedWindow(runningModels: unknown, model: string): number | null {
  const entry = toRecords(readField(runningModels, "models")).find(({ name, model: modelTag }) =>
    [name, modelTag].some((each) => typeof each === "string" && addDefaultTag(each) === addDefaultTag(model)),
  );
  return toTokenCount(entry?.context_length);
}

function addDefaultTag(model: string): string {
  const name = model.toLowerCase();
  return name.includes(":") ? name : `${name}:latest`;
}

/** Reads the window a model is loaded with, not the largest window the model supports. */
async function queryLmStudio(queryServer: ServerQuery, model: string): Promise<ServedWindow | null> {
  const modelInfo = await queryServer(`/api/v0/models/${encodeURIComponent(model).replaceAll("%2F", "/")}`);
  const trained = toTokenCount(readField(modelInfo, "max_context_length"));
  // LM Studio answers unknown paths with status 200 and an error.
  if (readField(modelInfo, "object") !== "model" || trained === null) return null;
  const loadedWindow =
    readField(modelInfo, "state") === "loaded" ? toTokenCount(readField(modelInfo, "loaded_context_length")) : null;
  if (loadedWindow === null)
    return { server: "lm-studio", window: createAssumedWindow(trained), source: "assumed", trained };
  return { server: "lm-studio", window: loadedWindow, source: "loaded", trained };
}

/** Reads the window of one slot, which one conversation gets. */
async function queryLlamaCpp(queryServer: ServerQuery, model: string): Promise<ServedWindow | null> {
  const query = `model=${encodeURIComponent(model)}&autoload=false`;
  // A server with several models answers by name. The query must not load a model.
  const [props, modelList] = await Promise.all([queryServer(`/props?${query}`), queryServer("/v1/models")]);
  const entry = findModelEntry(modelList, model);
  const window =
    toTokenCount(readField(props, "default_generation_settings", "n_ctx")) ??
    toTokenCount(readField(entry, "meta", "n_ctx"));
  if (window === null) return null;
  const trained = toTokenCount(readField(entry, "meta", "n_ctx_train"));
  return { server: "llama.cpp", window, source: "loaded", ...(trained ? { trained } : {}) };
}

/** A server with one model accepts any name. */
function findModelEntry(modelList: unknown, model: string): unknown {
  const entries = toRecords(readField(modelList, "data"));
  return entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : undefined);
}

/** Reads the longest sequence from the list of models. Servers compatible with vLLM answer too. */
async function queryVllm(queryServer: ServerQuery, model: string): Promise<ServedWindow | null> {
  const entries = toRecords(readField(await queryServer("/v1/models"), "data"));
  const entry = entries.find(({ id }) => id === model);
  const window = toTokenCount(entry?.max_model_len);
  return window === null ? null : { server: "vllm", window, source: "loaded" };
}

/** A positive integer, or null. */
function toTokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Reads a nested field of a value that may not be an object. */
function readField(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

/** The objects in a value that may not be a list. */
function toRecords(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
