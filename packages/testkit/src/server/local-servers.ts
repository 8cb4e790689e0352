/** Answers requests about models and context windows as Ollama, llama.cpp, LM Studio and vLLM do. Does no I/O. */

export interface LocalServer {
  readonly kind: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  readonly model: string;
  /** Tokens it serves. */
  readonly window: number;
  /** Tokens the model was trained for; 131,072 unless told. */
  readonly trained?: number;
  /** Whether the model is in memory; true unless told. Until then some servers do not say what they will serve. */
  readonly loaded?: boolean;
  /** Ollama only: whether the window stands in the model's own file, as `num_ctx`. */
  readonly configured?: boolean;
  /** Ollama only: whether the model can call tools; true unless told. One that cannot refuses a request that declares any. */
  readonly tools?: boolean;
}

/** A question to it: the path may carry a query, the body may be text or already read. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What it answers; the body is sent as JSON. */
export interface LocalAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Null: not a path of this server. */
export type AnswerTo = (server: LocalServer, question: Question) => LocalAnswer | null;

export interface Question {
  /** Method and path without the query: `GET /api/version`. */
  readonly line: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export function ok(body: unknown): LocalAnswer {
  return { status: 200, body };
}

export function trainedOf({ trained = 131_072, window }: LocalServer): number {
  return Math.max(trained, window);
}

const loading: LocalAnswer = {
  status: 503,
  body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
};

export function llamaCppAnswer(server: LocalServer, { line }: Question): LocalAnswer | null {
  const answer = llamaCppAnswers[line];
  if (!answer) return null;
  return server.loaded === false ? loading : ok(answer(server));
}

const llamaCppAnswers: Readonly<Record<string, (server: LocalServer) => unknown>> = {
  "GET /health": () => ({ status: "ok" }),
  "GET /props": properties,
  "GET /slots": ({ window }) => [{ id: 0, id_task: -1, n_ctx: window, speculative: false, is_processing: false }],
  "GET /v1/models": models,
  "GET /models": models,
  "POST /api/show": likeOllama,
};

function properties({ model, window }: LocalServer): object {
  return {
    default_generation_settings: {
      id: 0,
      id_task: -1,
      n_ctx: window,
      speculative: false,
      is_processing: false,
      params: {},
    },
    total_slots: 1,
    model_alias: model,
    model_path: `/models/${model}.gguf`,
    modalities: { vision: false, audio: false },
    chat_template: "{{ messages }}",
    build_info: "b8925-0adede866",
    is_sleeping: false,
  };
}

function models(server: LocalServer): object {
  const meta = {
    vocab_type: 2,
    n_vocab: 128_256,
    n_ctx: server.window,
    n_ctx_train: trainedOf(server),
    n_embd: 4_096,
    n_params: 8_030_261_312,
    size: 4_912_898_304,
  };
  const entry = { id: server.model, object: "model", created: 1_788_000_000, owned_by: "llamacpp", meta };
  return { object: "list", data: [entry] };
}

// llama.cpp answers Ollama's question as well, for clients that were written for Ollama.
function likeOllama({ window }: LocalServer): object {
  return {
    template: "{{ messages }}",
    model_info: { "llama.context_length": window },
    modelfile: "",
    parameters: "",
    details: {
      parent_model: "",
      format: "gguf",
      family: "",
      families: [""],
      parameter_size: "",
      quantization_level: "",
    },
    capabilities: ["completion"],
  };
}

/** Has native lists of models, old and new, and OpenAI's list, which names no context windows. */
export function lmStudioAnswer(server: LocalServer, { line }: Question): LocalAnswer | null {
  switch (line) {
    case "GET /api/v0/models":
      return ok({ object: "list", data: [entry(server)] });
    case "GET /api/v1/models":
      return ok({ models: [newEntry(server)] });
    case "GET /v1/models":
      return ok({ object: "list", data: [{ id: server.model, object: "model", owned_by: "organization_owner" }] });
    default:
      return single(server, line);
  }
}

function single(server: LocalServer, line: string): LocalAnswer | null {
  const [, wanted] = /^GET \/api\/v0\/models\/(.+)$/.exec(line) ?? [];
  if (wanted === undefined) return null;
  if (wanted === server.model || wanted === encodeURIComponent(server.model)) return ok(entry(server));
  return { status: 404, body: { error: { message: `Model ${wanted} not found`, type: "invalid_request_error" } } };
}

function entry(server: LocalServer): object {
  const { model, window, loaded = true } = server;
  return {
    id: model,
    object: "model",
    type: "llm",
    publisher: "lmstudio-community",
    arch: "llama",
    compatibility_type: "gguf",
    quantization: "Q4_K_M",
    state: loaded ? "loaded" : "not-loaded",
    max_context_length: trainedOf(server),
    ...(loaded ? { loaded_context_length: window } : {}),
  };
}

function newEntry(server: LocalServer): object {
  const { model, window, loaded = true } = server;
  return {
    type: "llm",
    publisher: "lmstudio-community",
    key: model,
    display_name: model,
    max_context_length: trainedOf(server),
    loaded_instances: loaded ? [{ id: model, config: { context_length: window } }] : [],
  };
}

const created = "2026-09-01T12:00:00.000Z";
const details = {
  parent_model: "",
  format: "gguf",
  family: "llama",
  families: ["llama"],
  parameter_size: "8.0B",
  quantization_level: "Q4_K_M",
};

export function ollamaAnswer(server: LocalServer, { line, body }: Question): LocalAnswer | null {
  switch (line) {
    case "GET /api/version":
      return ok({ version: "0.34.2" });
    case "POST /api/show":
      return show(server, body);
    case "GET /api/ps":
      return ok({ models: server.loaded === false ? [] : [running(server)] });
    case "GET /api/tags":
      return ok({ models: [installed(server)] });
    case "GET /v1/models":
      return ok({
        object: "list",
        data: [{ id: tagged(server.model), object: "model", created: 1_788_000_000, owned_by: "library" }],
      });
    default:
      return null;
  }
}

function show(server: LocalServer, body: unknown): LocalAnswer {
  const { model, name } = (body ?? {}) as { model?: unknown; name?: unknown };
  const wanted = String(model ?? name ?? "");
  if (tagged(wanted) !== tagged(server.model)) return { status: 404, body: { error: `model '${wanted}' not found` } };
  return ok({
    license: "MIT",
    modelfile: `FROM ${server.model}`,
    ...(server.configured ? { parameters: parameters(server.window) } : {}),
    template: "{{ .Prompt }}",
    details,
    model_info: {
      "general.architecture": "llama",
      "general.parameter_count": 8_030_261_248,
      "llama.context_length": trainedOf(server),
      "llama.embedding_length": 4_096,
    },
    capabilities: server.tools === false ? ["completion"] : ["completion", "tools"],
    modified_at: created,
  });
}

/** Text in columns, one parameter a line. */
function parameters(window: number): string {
  return [`num_ctx${" ".repeat(24)}${window}`, `stop${" ".repeat(27)}"<|eot_id|>"`].join("\n");
}

function running(server: LocalServer): object {
  const { window } = server;
  return { ...installed(server), expires_at: created, size_vram: 6_000_000_000, context_length: window };
}

function installed({ model }: LocalServer): object {
  return { name: tagged(model), model: tagged(model), size: 4_900_000_000, digest: "0".repeat(64), details };
}

function tagged(model: string): string {
  return model.includes(":") ? model : `${model}:latest`;
}

export function vllmAnswer(server: LocalServer, { line }: Question): LocalAnswer | null {
  switch (line) {
    case "GET /version":
      return ok({ version: "0.21.0" });
    case "GET /v1/models":
      return ok({ object: "list", data: [vllmEntry(server)] });
    default:
      return null;
  }
}

function vllmEntry({ model, window }: LocalServer): object {
  return {
    id: model,
    object: "model",
    created: 1_788_000_000,
    owned_by: "vllm",
    root: model,
    parent: null,
    max_model_len: window,
    permission: [],
  };
}

const answers: Readonly<Record<LocalServer["kind"], AnswerTo>> = {
  ollama: ollamaAnswer,
  "llama.cpp": llamaCppAnswer,
  "lm-studio": lmStudioAnswer,
  vllm: vllmAnswer,
};

/** Null for a path that is not one of this server's own. */
export function localAnswer(server: LocalServer, asked: Asked): LocalAnswer | null {
  const [path = "", query = ""] = asked.path.split("?", 2);
  const line = `${asked.method.toUpperCase()} ${path}`;
  return answers[server.kind](server, { line, query: new URLSearchParams(query), body: readBody(asked.body) });
}

function readBody(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    return null; // As a server that cannot read it: no field of it is there.
  }
}
