/** A server of models on one's own machine, as a script describes it. */

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
