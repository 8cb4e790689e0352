/** What stands in a request, message by message, in the order OpenAI Chat Completions caches it: tools, then messages. */

import { listOf, objectsIn } from "../shape.ts";
import type { Body, Piece, Prompt } from "../wire.ts";

/** Requests with different cache keys go to different machines. */
export function prompt({ tools, messages, prompt_cache_key }: Body): Prompt {
  return {
    pieces: [
      ...listOf(tools).map((tool) => piece("tools", tool)),
      ...objectsIn(messages).map((message) =>
        piece(message.role === "system" || message.role === "developer" ? "system" : "messages", message),
      ),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function piece(level: Piece["level"], value: unknown): Piece {
  return { level, text: JSON.stringify(value), keptFor: null };
}
