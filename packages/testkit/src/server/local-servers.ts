/** Answers requests about models and context windows as Ollama, llama.cpp, LM Studio and vLLM do. Does no I/O. */

export interface LocalServer {
  readonly kind: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  readonly model: string;
  /** The context window that the server provides, in tokens. */
  readonly window: number;
  /** The context window that the model was trained for, in tokens. Default: 131,072. */
  readonly trainedWindow?: number;
  /** Whether the model is in memory. Default: true. Some servers report no window before it is. */
  readonly isLoaded?: boolean;
  /** Ollama only: whether the model file sets the window with `num_ctx`. */
  readonly hasConfiguredWindow?: boolean;
  /** Ollama only: whether the model can call tools. Default: true. Without it, requests that declare tools are refused. */
  readonly supportsTools?: boolean;
}

/** A request to a local server. The path may include a query; the body may be text or parsed JSON. */
interface LocalRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The response of a local server. The body is sent as JSON. */
interface LocalAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Returns null for a path that the server does not have. */
export function answerLocalRequest(server: LocalServer, request: LocalRequest): LocalAnswer | null {
  const [path = "", query = ""] = request.path.split("?", 2);
  const route = `${request.method.toUpperCase()} ${path}`;
  return answerByKind[server.kind](server, { route, query: new URLSearchParams(query), body: parseBody(request.body) });
}

/** Returns null for a path that the server does not have. */
type LocalAnswerFunction = (server: LocalServer, request: ParsedRequest) => LocalAnswer | null;

interface ParsedRequest {
  /** Method and path without the query: `GET /api/version`. */
  readonly route: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

const answerByKind: Readonly<Record<LocalServer["kind"], LocalAnswerFunction>> = {
  ollama: answerAsOllama,
  "llama.cpp": answerAsLlamaCpp,
  "lm-studio": answerAsLmStudio,
  vllm: answerAsVllm,
};

function answerAsOllama(server: LocalServer, { route, body }: ParsedRequest): LocalAnswer | null {
  switch (route) {
    case "GET /api/version":
      return ok({ version: "0.34.2" });
    case "POST /api/show":
      return showOllamaModel(server, body);
    case "GET /api/ps":
      return ok({ models: server.isLoaded === false ? [] : [ollamaRunningModel(server)] });
    case "GET /api/tags":
      return ok({ models: [ollamaInstalledModel(server)] });
    case "GET /v1/models":
      return ok({
        object: "list",
        data: [{ id: withTag(server.model), object: "model", created: 1_788_000_000, owned_by: "library" }],
      });
    default:
      return null;
  }
}

function ok(body: unknown): LocalAnswer {
  return { status: 200, body };
}

function showOllamaModel(server: LocalServer, body: unknown): LocalAnswer {
  const { model, name } = (body ?? {}) as { model?: unknown; name?: unknown };
  const requestedModel = String(model ?? name ?? "");
  if (withTag(requestedModel) !== withTag(server.model))
    return { status: 404, body: { error: `model '${requestedModel}' not found` } };
  return ok({
    license: "MIT",
    modelfile: `FROM ${server.model}`,
    ...(server.hasConfiguredWindow ? { parameters: formatOllamaParameters(server.window) } : {}),
    template: "{{ .Prompt }}",
    details: OLLAMA_DETAILS,
    model_info: {
      "general.architecture": "llama",
      "general.parameter_count": 8_030_261_248,
      "llama.context_length": findTrainedWindow(server),
      "llama.embedding_length": 4_096,
    },
    capabilities: server.supportsTools === false ? ["completion"] : ["completion", "tools"],
    modified_at: CREATED_AT,
  });
}

function withTag(model: string): string {
  return model.includes(":") ? model : `${model}:latest`;
}

/** Ollama lists parameters as text in columns, one per line. */
function formatOllamaParameters(window: number): string {
  return [`num_ctx${" ".repeat(24)}${window}`, `stop${" ".repeat(27)}"<|eot_id|>"`].join("\n");
}

const CREATED_AT = "2026-09-01T12:00:00.000Z";
const OLLAMA_DETAILS = {
  parent_model: "",
  format: "gguf",
  family: "llama",
  families: ["llama"],
  parameter_size: "8.0B",
  quantization_level: "Q4_K_M",
};

function findTrainedWindow({ trainedWindow: declaredWindow = 131_072, window }: LocalServer): number {
  return Math.max(declaredWindow, window);
}

function ollamaRunningModel(server: LocalServer): object {
  const { window } = server;
  return { ...ollamaInstalledModel(server), expires_at: CREATED_AT, size_vram: 6_000_000_000, context_length: window };
}

function ollamaInstalledModel({ model }: LocalServer): object {
  return {
    name: withTag(model),
    model: withTag(model),
    size: 4_900_000_000,
    digest: "0".repeat(64),
    details: OLLAMA_DETAILS,
  };
}

function answerAsLlamaCpp(server: LocalServer, { route }: ParsedRequest): LocalAnswer | null {
  const answer = llamaCppRoutes[route];
  if (!answer) return null;
  return server.isLoaded === false ? LOADING_ANSWER : ok(answer(server));
}

const llamaCppRoutes: Readonly<Record<string, (server: LocalServer) => unknown>> = {
  "GET /health": () => ({ status: "ok" }),
  "GET /props": llamaCppProperties,
  "GET /slots": ({ window }) => [{ id: 0, id_task: -1, n_ctx: window, speculative: false, is_processing: false }],
  "GET /v1/models": llamaCppModels,
  "GET /models": llamaCppModels,
  "POST /api/show": llamaCppOllamaShow,
};

function llamaCppProperties({ model, window }: LocalServer): object {
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

function llamaCppModels(server: LocalServer): object {
  const meta = {
    vocab_type: 2,
    n_vocab: 128_256,
    n_ctx: server.window,
    n_ctx_train: findTrainedWindow(server),
    n_embd: 4_096,
    n_params: 8_030_261_312,
    size: 4_912_898_304,
  };
  const entry = { id: server.model, object: "model", created: 1_788_000_000, owned_by: "llamacpp", meta };
  return { object: "list", data: [entry] };
}

// llama.cpp also answers Ollama's `/api/show`, for clients that were written for Ollama.
function llamaCppOllamaShow({ window }: LocalServer): object {
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

const LOADING_ANSWER: LocalAnswer = {
  status: 503,
  body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
};

/** LM Studio has two native model lists, v0 and v1, and OpenAI's list, which has no context windows. */
function answerAsLmStudio(server: LocalServer, { route }: ParsedRequest): LocalAnswer | null {
  switch (route) {
    case "GET /api/v0/models":
      return ok({ object: "list", data: [lmStudioEntry(server)] });
    case "GET /api/v1/models":
      return ok({ models: [lmStudioV1Entry(server)] });
    case "GET /v1/models":
      return ok({ object: "list", data: [{ id: server.model, object: "model", owned_by: "organization_owner" }] });
    default:
      return answerLmStudioModel(server, route);
  }
}

function lmStudioEntry(server: LocalServer): object {
  const { model, window, isLoaded = true } = server;
  return {
    id: model,
    object: "model",
    type: "llm",
    publisher: "lmstudio-community",
    arch: "llama",
    compatibility_type: "gguf",
    quantization: "Q4_K_M",
    state: isLoaded ? "loaded" : "not-loaded",
    max_context_length: findTrainedWindow(server),
    ...(isLoaded ? { loaded_context_length: window } : {}),
  };
}

function lmStudioV1Entry(server: LocalServer): object {
  const { model, window, isLoaded = true } = server;
  return {
    type: "llm",
    publisher: "lmstudio-community",
    key: model,
    display_name: model,
    max_context_length: findTrainedWindow(server),
    loaded_instances: isLoaded ? [{ id: model, config: { context_length: window } }] : [],
  };
}

function answerLmStudioModel(server: LocalServer, route: string): LocalAnswer | null {
  const [, requestedModel] = /^GET \/api\/v0\/models\/(.+)$/.exec(route) ?? [];
  if (requestedModel === undefined) return null;
  if (requestedModel === server.model || requestedModel === encodeURIComponent(server.model))
    return ok(lmStudioEntry(server));
  return {
    status: 404,
    body: { error: { message: `Model ${requestedModel} not found`, type: "invalid_request_error" } },
  };
}

function answerAsVllm(server: LocalServer, { route }: ParsedRequest): LocalAnswer | null {
  switch (route) {
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

function parseBody(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    // A real server treats an unreadable body as one without fields.
    return null;
  }
}
