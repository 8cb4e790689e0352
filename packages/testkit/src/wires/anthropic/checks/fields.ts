/** What Anthropic refuses about names inside messages: everything that a block of its kind does not have. */

import { type Json, objectsIn, stranger } from "../../shape.ts";
import type { Body } from "../../wire.ts";

export function* fieldFaults({ messages }: Body): Generator<string> {
  for (const [at, message] of objectsIn(messages).entries()) {
    const strange = stranger(message, ["role", "content"]);
    if (strange !== undefined) yield `messages.${at}.${strange}: Extra inputs are not permitted`;
    yield* blockNames(message, `messages.${at}`);
  }
}

function* blockNames({ content }: Json, at: string): Generator<string> {
  for (const [index, block] of objectsIn(content).entries()) {
    const kind = String(block.type);
    const known = Object.hasOwn(BLOCKS, kind) ? BLOCKS[kind] : undefined;
    const strange = known && stranger(block, [...known, "type", "cache_control"]);
    if (strange !== undefined) yield `${at}.content.${index}.${kind}.${strange}: Extra inputs are not permitted`;
    if (kind === "tool_result") yield* blockNames(block, `${at}.content.${index}.tool_result`);
  }
}

/** Kinds that no program was seen to send are left alone. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  server_tool_use: ["id", "name", "input", "caller"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
};
