/** vLLM: its list of models names the longest sequence it takes. */

import { type LocalAnswer, type LocalServer, ok, type Question } from "./local-server.ts";

export function vllmAnswer(server: LocalServer, { line }: Question): LocalAnswer | null {
  switch (line) {
    case "GET /version":
      return ok({ version: "0.21.0" });
    case "GET /v1/models":
      return ok({ object: "list", data: [entry(server)] });
    default:
      return null;
  }
}

function entry({ model, window }: LocalServer): object {
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
