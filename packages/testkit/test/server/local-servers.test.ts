/** Tests that scripted local servers answer their own API as the real ones do, and nothing else. */

import { describe, expect, test } from "vitest";
import { answerLocalRequest, type LocalServer } from "../../src/server/local-servers.ts";

const window = 16_384;
const kinds = ["ollama", "llama.cpp", "lm-studio", "vllm"] as const;

function body(server: LocalServer, line: string, requestBody?: unknown): unknown {
  const [method = "", path = ""] = line.split(" ");
  return answerLocalRequest(server, { method, path, body: requestBody })?.body;
}

describe.each(kinds)("%s", (kind) => {
  const server: LocalServer = { kind, model: "qwen/qwen3:8b", window };

  test("lists its model for OpenAI's clients", () => {
    expect(body(server, "GET /v1/models")).toMatchObject({
      object: "list",
      data: [{ id: "qwen/qwen3:8b", object: "model" }],
    });
  });

  test("does not respond to chat paths and unknown paths", () => {
    const theirs = [
      "POST /v1/chat/completions",
      "GET /v1/completions",
      "POST /v1/models",
      "GET /nowhere",
      "GET constructor",
    ];
    expect(theirs.map((line) => body(server, line))).toEqual(theirs.map(() => undefined));
  });
});

describe("Ollama", () => {
  const server: LocalServer = { kind: "ollama", model: "llama3", window };

  test("reports its version and its loaded models", () => {
    expect(body(server, "GET /api/version")).toEqual({ version: expect.any(String) });
    expect(body(server, "GET /api/ps")).toMatchObject({ models: [{ name: "llama3:latest", context_length: window }] });
    expect(body({ ...server, isLoaded: false }, "GET /api/ps")).toEqual({ models: [] });
  });

  test("shows the window a model was trained for, and num_ctx only if its file sets it", () => {
    const info = { "general.architecture": "llama", "llama.context_length": 131_072 };
    expect(body(server, "POST /api/show", { model: "llama3" })).toMatchObject({ model_info: info });
    expect(body(server, "POST /api/show", { model: "llama3" })).not.toHaveProperty("parameters");
    const shown = body({ ...server, hasConfiguredWindow: true }, "POST /api/show", '{"name":"llama3:latest"}');
    expect(shown).toMatchObject({ parameters: expect.stringMatching(/^num_ctx +16384\n/) });
  });

  test("returns 404 for other models and for unreadable bodies", () => {
    const showRequest = { method: "POST", path: "/api/show", body: '{"model":"other"}' };
    expect(answerLocalRequest(server, showRequest)).toEqual({
      status: 404,
      body: { error: "model 'other' not found" },
    });
    expect(answerLocalRequest(server, { ...showRequest, body: "{" })?.status).toBe(404);
  });
});

describe("llama.cpp", () => {
  const server: LocalServer = { kind: "llama.cpp", model: "m", window, trainedWindow: 40_960 };

  test("reports the window of a slot, with or without a query", () => {
    const properties = { default_generation_settings: { n_ctx: window }, total_slots: 1 };
    expect(body(server, "GET /props")).toMatchObject(properties);
    expect(body(server, "GET /props?model=m&autoload=false")).toMatchObject(properties);
    expect(body(server, "GET /slots")).toMatchObject([{ n_ctx: window }]);
    expect(body(server, "GET /v1/models")).toMatchObject({ data: [{ meta: { n_ctx: window, n_ctx_train: 40_960 } }] });
  });

  test("returns 503 while it loads", () => {
    expect(answerLocalRequest({ ...server, isLoaded: false }, { method: "GET", path: "/props" })?.status).toBe(503);
  });
});

describe("LM Studio", () => {
  const server: LocalServer = { kind: "lm-studio", model: "qwen/qwen3", window };

  test("reports the loaded window of a model, by its name with or without escapes", () => {
    const loaded = { object: "model", state: "loaded", loaded_context_length: window, max_context_length: 131_072 };
    expect(body(server, "GET /api/v0/models/qwen/qwen3")).toMatchObject(loaded);
    expect(body(server, "GET /api/v0/models/qwen%2Fqwen3")).toMatchObject(loaded);
    expect(body(server, "GET /api/v0/models")).toMatchObject({ data: [loaded] });
    const instances = [{ config: { context_length: window } }];
    expect(body(server, "GET /api/v1/models")).toMatchObject({ models: [{ loaded_instances: instances }] });
  });

  test("reports no window before the model is loaded", () => {
    const unloaded = body({ ...server, isLoaded: false }, "GET /api/v0/models/qwen/qwen3");
    expect(unloaded).toMatchObject({ state: "not-loaded", max_context_length: 131_072 });
    expect(unloaded).not.toHaveProperty("loaded_context_length");
  });

  test("returns 404 for other models", () => {
    expect(answerLocalRequest(server, { method: "GET", path: "/api/v0/models/other" })?.status).toBe(404);
  });
});

test("vLLM reports its maximum sequence length", () => {
  const server: LocalServer = { kind: "vllm", model: "m", window };
  expect(body(server, "GET /v1/models")).toMatchObject({ data: [{ owned_by: "vllm", max_model_len: window }] });
});
