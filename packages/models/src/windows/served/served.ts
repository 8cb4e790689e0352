/** What a server of models says about the window it serves. */

export interface Served {
  readonly server: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  /** Tokens of one conversation, its answer included. */
  readonly window: number;
  /**
   * `loaded`: the model runs with it now. `configured`: it will. `assumed`: nobody can say before the model is loaded; ask
   * again after the first reply.
   */
  readonly source: "loaded" | "configured" | "assumed";
  /** What the model was trained for, where the server says so: it may serve far less. */
  readonly trained?: number;
}

/**
 * Ollama takes 4,096, 32,768 or 262,144 by the size of the graphics memory, or OLLAMA_CONTEXT_LENGTH, and LM Studio what
 * its user chose last; both tell only once the model is loaded. 4,096 would refuse sessions that run well on most of
 * these machines; more would be cut off in silence on the others. So: the smallest window a session works in.
 */
const ASSUMED = 8_192;

export function assumedWindow(trained: number | null): number {
  return trained === null ? ASSUMED : Math.min(ASSUMED, trained);
}
