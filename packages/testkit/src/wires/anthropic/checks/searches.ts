/** What Anthropic refuses about its own searches: content it did not encrypt, results without their search, searches without theirs. */

import { isObject, type Json, listOf, textOf } from "../../shape.ts";
import { encryptedPage, OWN_SEARCH } from "../search.ts";
import type { Turn } from "./turns.ts";

export function* searchBlockFaults(block: Json, at: string): Generator<string> {
  if (!/^srvtoolu_[a-zA-Z0-9_]+$/.test(textOf(block.id)))
    yield `${at}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`;
  if (block.name !== OWN_SEARCH) yield `${at}.server_tool_use.name: Input should be '${OWN_SEARCH}'`;
  if (!isObject(block.input)) yield `${at}.server_tool_use.input: Input should be a valid dictionary`;
}

export function* foundBlockFaults({ content }: Json, at: string): Generator<string> {
  if (isObject(content)) {
    if (typeof content.error_code !== "string") yield `${at}.web_search_tool_result.content.error_code: Field required`;
    return;
  }
  for (const [index, result] of listOf(content).entries()) {
    const place = `${at}.web_search_tool_result.content.${index}`;
    if (!isObject(result) || typeof result.url !== "string") yield `${place}.url: Field required`;
    else if (result.title === undefined) yield `${place}.title: Field required`;
    else if (result.encrypted_content !== encryptedPage({ title: titleOf(result), url: result.url }))
      yield `${place}: Invalid \`encrypted_content\` in \`search_result\` block`;
  }
}

function titleOf({ title }: Json): string | null {
  return typeof title === "string" ? title : null;
}

export function* searchPairFaults(turns: readonly Turn[]): Generator<string> {
  for (const [at, { role, blocks }] of turns.entries())
    if (role === "assistant") yield* pairFaults(blocks, { at, isLast: at === turns.length - 1 });
}

function* pairFaults(
  blocks: readonly Json[],
  { at, isLast }: { readonly at: number; readonly isLast: boolean },
): Generator<string> {
  const open = new Set<unknown>();
  for (const { type, id, tool_use_id } of blocks) {
    if (type === "server_tool_use") open.add(id);
    if (type === "web_search_tool_result" && !open.delete(tool_use_id))
      yield `messages.${at}.content: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${String(tool_use_id)}. Each \`web_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`;
  }
  // A reply that was paused may end with a search that goes on.
  const isPaused = isLast && blocks.at(-1)?.type === "server_tool_use";
  const [left] = isPaused ? [] : open;
  if (left !== undefined)
    yield `messages.${at}: \`${OWN_SEARCH}\` tool use with id \`${String(left)}\` was found without a corresponding \`web_search_tool_result\` block`;
}
