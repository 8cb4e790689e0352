/** Ollama: its native interface, and its list of models as OpenAI's clients read it. */

import { type LocalAnswer, type LocalServer, ok, type Question, trainedOf } from "./local-server.ts";

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
    capabilities: ["completion", "tools"],
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
