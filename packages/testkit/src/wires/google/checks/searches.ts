/** What Google refuses about its own tools: beside functions where they cannot stand, and a search parted from what it found. */

import { isObject, type Json, objectsIn, textOf } from "../../shape.ts";
import type { Body } from "../../wire.ts";
import { tellsServerTools } from "../search.ts";

export function* searchFaults(body: Body, model: string): Generator<string> {
  yield* mixFaults(body, model);
  for (const [at, { parts }] of objectsIn(body.contents).entries()) yield* pairFaults(objectsIn(parts), at);
}

function* mixFaults(body: Body, model: string): Generator<string> {
  const tools = objectsIn(body.tools);
  const isMixed =
    tools.some(({ googleSearch }) => isObject(googleSearch)) &&
    tools.some(({ functionDeclarations }) => objectsIn(functionDeclarations).length > 0);
  if (!isMixed) return;
  if (!/^gemini-([3-9]|\d\d)/.test(model)) yield "Tool use with function calling is unsupported";
  else if (!tellsServerTools(body))
    yield "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
}

function* pairFaults(parts: readonly Json[], at: number): Generator<string> {
  const open = new Set<string>();
  for (const { toolCall, toolResponse } of parts) {
    if (isObject(toolCall)) open.add(textOf(toolCall.id));
    if (isObject(toolResponse) && !open.delete(textOf(toolResponse.id)))
      yield `Please ensure that tool response parts match the tool call parts: '${textOf(toolResponse.id)}' in contents[${at}] was not called.`;
  }
  for (const id of open)
    yield `Please ensure that every tool call part has its tool response part: '${id}' in contents[${at}].`;
}
