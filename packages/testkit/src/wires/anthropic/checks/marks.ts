/** What Anthropic refuses about cache marks: too many, in the wrong order, of another kind, on what cannot bear one. */

import { isObject, type Json, objectsIn } from "../../shape.ts";
import type { Body } from "../../wire.ts";

export function* markFaults(body: Body): Generator<string> {
  const marked = markedBlocks(body);
  if (marked.length > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  const short = marked.findIndex(({ cache_control }) => !isLong(cache_control));
  if (short >= 0 && marked.slice(short).some(({ cache_control }) => isLong(cache_control)))
    yield "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  for (const block of marked) {
    if (isObject(block.cache_control) && block.cache_control.type !== "ephemeral")
      yield `cache_control: Input tag '${String(block.cache_control.type)}' found using 'type' does not match any of the expected tags: 'ephemeral'`;
    if (block.type === "thinking" || block.type === "redacted_thinking")
      yield `${String(block.type)}.cache_control: Extra inputs are not permitted`;
    if (block.type === "text" && block.text === "") yield "cache_control cannot be set for empty text blocks";
  }
}

function isLong(mark: unknown): boolean {
  return isObject(mark) && mark.ttl === "1h";
}

/** In the order in which they are cached; the request's own mark stands on the last block, unless that has one. */
function markedBlocks(body: Body): readonly Json[] {
  const blocks = objectsIn(body.messages).flatMap(({ content }) => objectsIn(content));
  const all = blocks.flatMap((block) => [...objectsIn(block.content), block]);
  const own = isObject(blocks.at(-1)?.cache_control) ? [] : [body];
  return [...objectsIn(body.tools), ...objectsIn(body.system), ...all, ...own].filter(({ cache_control }) =>
    isObject(cache_control),
  );
}
