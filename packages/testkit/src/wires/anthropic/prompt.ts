/** What stands in a request, block by block, in the order Anthropic caches it: tools, system, messages. */

import { isObject, type Json, listOf, objectsIn } from "../shape.ts";
import type { Body, Piece, Prompt } from "../wire.ts";

export function prompt(body: Body): Prompt {
  const pieces = [
    ...listOf(body.tools).map((tool) => piece("tools", tool)),
    ...blocks(body.system).map((block) => piece("system", block)),
    ...objectsIn(body.messages).flatMap(({ role, content }) =>
      blocks(content).map((block) => piece("messages", block, String(role))),
    ),
  ];
  return {
    pieces: isObject(body.cache_control) ? markedByItself(pieces, body.cache_control) : pieces,
    settings: JSON.stringify([body.thinking ?? null, body.tool_choice ?? null]),
  };
}

/** A mark on the request itself stands on its last block that can bear one, unless that has its own. */
function markedByItself(pieces: readonly Bearing[], mark: Json): readonly Piece[] {
  const last = pieces.findLastIndex(({ bears }) => bears);
  return pieces.map((each, at) => (at === last ? { ...each, keptFor: each.keptFor ?? secondsOf(mark) } : each));
}

interface Bearing extends Piece {
  /** Whether a mark may stand on it. */
  readonly bears: boolean;
}

/** A plain string is one text block. */
function blocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

function piece(level: Piece["level"], block: unknown, lead = ""): Bearing {
  const mark = isObject(block) ? markOf(block) : undefined;
  return {
    level,
    text: lead + JSON.stringify(block, unmarked),
    keptFor: isObject(mark) ? secondsOf(mark) : null,
    ...(isObject(block) && RUNS.includes(String(block.type)) && { run: String(block.type) }),
    bears: isObject(block) && block.type !== "thinking" && block.type !== "redacted_thinking",
  };
}

const RUNS = ["tool_use", "tool_result"];

/** Its own, or the last one inside a result: the block counts as a whole. */
function markOf({ cache_control, content }: Json): unknown {
  return cache_control ?? objectsIn(content).findLast((inner) => isObject(inner.cache_control))?.cache_control;
}

// A mark moves from request to request; the bytes it stands on stay the same.
function unmarked(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}

function secondsOf({ ttl }: Json): number {
  return ttl === "1h" ? 3600 : 300;
}
