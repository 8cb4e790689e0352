/** LM Studio: its native lists of models, old and new, and the one for OpenAI's clients, without windows. */

import { type LocalAnswer, type LocalServer, ok, type Question, trainedOf } from "./local-server.ts";

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
