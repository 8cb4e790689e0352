/** llama.cpp's server: one model in slots, and the answers it gives to please clients of others. */

import { type LocalAnswer, type LocalServer, ok, type Question, trainedOf } from "./local-server.ts";

const loading: LocalAnswer = {
  status: 503,
  body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
};

export function llamaCppAnswer(server: LocalServer, { line }: Question): LocalAnswer | null {
  const answer = answers[line];
  if (!answer) return null;
  return server.loaded === false ? loading : ok(answer(server));
}

const answers: Readonly<Record<string, (server: LocalServer) => unknown>> = {
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
