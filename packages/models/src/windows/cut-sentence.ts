/** What to tell a person whose server drops a part of the conversation in silence, and what they can do. */

import type { Counted } from "./learnt.ts";

export interface Cut extends Counted {
  /** What the window is taken for from now on. */
  readonly window: number;
  /** Where the server is, as its user wrote it. */
  readonly place: string;
}

export function cutSentence({ estimate, reported, window, place }: Cut): string {
  return [
    `${place} counted ${figure(reported)} of about ${figure(estimate)} tokens: it seems to drop what does not fit, silently.`,
    `Its window is taken for ${figure(window)} tokens from now on.`,
    "Serve a larger one (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length) to keep more.",
  ].join(" ");
}

function figure(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}
