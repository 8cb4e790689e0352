/** What Ollama, llama.cpp, LM Studio and vLLM answer beside chat: their models and the windows they serve. Pure. */

import { llamaCppAnswer } from "./llama-cpp.ts";
import { lmStudioAnswer } from "./lm-studio.ts";
import type { AnswerTo, Asked, LocalAnswer, LocalServer } from "./local-server.ts";
import { ollamaAnswer } from "./ollama.ts";
import { vllmAnswer } from "./vllm.ts";

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
