/** What stands in a request, item by item, in the order OpenAI Responses caches it: tools, instructions, input. */

import { listOf } from "../shape.ts";
import type { Body, Piece, Prompt } from "../wire.ts";

/** Requests with different cache keys go to different machines. */
export function prompt({ tools, instructions, input, prompt_cache_key }: Body): Prompt {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  return {
    pieces: [
      ...listOf(tools).map((tool) => piece("tools", tool)),
      ...(typeof instructions === "string" ? [piece("system", instructions)] : []),
      ...items.map((item) => piece("messages", item)),
    ],
    settings: JSON.stringify(prompt_cache_key ?? null),
  };
}

function piece(level: Piece["level"], value: unknown): Piece {
  return { level, text: JSON.stringify(value), keptFor: null };
}
