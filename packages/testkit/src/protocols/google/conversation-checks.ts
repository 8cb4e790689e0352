/** Checks the order of a Google conversation: every call is answered at once, by name, and every search has its result. */

import { asObjects, asString, isObject, type Json } from "../json.ts";
import type { Body } from "../protocol.ts";
import { includesServerTools } from "./reply.ts";

export function* checkConversation(body: Body, model: string): Generator<string> {
  const contents = asObjects(body.contents);
  for (const { role } of contents)
    if (!isKnownRole(role, contents.length)) yield "Please use a valid role: user, model.";
  const turns = contents.map(readTurn);
  for (const [index, turn] of turns.entries()) {
    const previous = turns[index - 1];
    if (turn.calls.length > 0) yield* checkCallTurn(turn, { previous, following: turns[index + 1], model });
    if (turn.responses.length > 0) yield* checkResponseTurn(turn, previous);
  }
}

interface Turn {
  readonly isModel: boolean;
  readonly calls: readonly Json[];
  readonly responses: readonly Json[];
}

function readTurn({ role, parts }: Json): Turn {
  const allParts = asObjects(parts);
  return {
    isModel: role === "model",
    calls: allParts.map(({ functionCall }) => functionCall).filter(isObject),
    responses: allParts.map(({ functionResponse }) => functionResponse).filter(isObject),
  };
}

/** A single turn need not say whose it is. */
function isKnownRole(role: unknown, turns: number): boolean {
  return role === "user" || role === "model" || role === "function" || (role === undefined && turns === 1);
}

interface TurnContext {
  readonly previous: Turn | undefined;
  readonly following: Turn | undefined;
  readonly model: string;
}

function* checkCallTurn({ isModel, calls }: Turn, { previous, following, model }: TurnContext): Generator<string> {
  if (!isModel) yield "Please ensure that function call turn has the role model.";
  if (!previous || previous.isModel)
    yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  if (following?.responses.length !== calls.length)
    yield "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const callWithoutId = calls.find(({ id }) => asString(id) === "");
  if (callWithoutId && requiresCallIds(model))
    yield `Function call '${asString(callWithoutId.name)}': tool_use.id: Field required`;
}

function* checkResponseTurn({ isModel, responses }: Turn, previous: Turn | undefined): Generator<string> {
  if (isModel) yield "Please ensure that function response turn has the role user or function.";
  const openCalls = [...(previous?.calls ?? [])];
  if (openCalls.length === 0)
    yield "Please ensure that function response turn comes immediately after a function call turn.";
  for (const { id, name } of responses) {
    const index = openCalls.findIndex(
      (call) => call.name === name && (id === undefined || call.id === undefined || call.id === id),
    );
    if (index < 0)
      yield `Please ensure that function response parts match the function call parts: '${asString(name)}'${id === undefined ? "" : ` with id '${asString(id)}'`} was not called.`;
    openCalls.splice(index, 1);
  }
}

/** Models of other houses that Google serves. */
function requiresCallIds(model: string): boolean {
  return model.startsWith("claude-") || model.startsWith("gpt-oss-");
}

export function* checkSearches(body: Body, model: string): Generator<string> {
  yield* checkMixedTools(body, model);
  for (const [index, { parts }] of asObjects(body.contents).entries()) yield* checkSearchPairs(asObjects(parts), index);
}

function* checkMixedTools(body: Body, model: string): Generator<string> {
  const tools = asObjects(body.tools);
  const isMixed =
    tools.some(({ googleSearch }) => isObject(googleSearch)) &&
    tools.some(({ functionDeclarations }) => asObjects(functionDeclarations).length > 0);
  if (!isMixed) return;
  if (!/^gemini-([3-9]|\d\d)/.test(model)) yield "Tool use with function calling is unsupported";
  else if (!includesServerTools(body))
    yield "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.";
}

function* checkSearchPairs(parts: readonly Json[], index: number): Generator<string> {
  const openIds = new Set<string>();
  for (const { toolCall, toolResponse } of parts) {
    if (isObject(toolCall)) openIds.add(asString(toolCall.id));
    if (isObject(toolResponse) && !openIds.delete(asString(toolResponse.id)))
      yield `Please ensure that tool response parts match the tool call parts: '${asString(toolResponse.id)}' in contents[${index}] was not called.`;
  }
  for (const id of openIds)
    yield `Please ensure that every tool call part has its tool response part: '${id}' in contents[${index}].`;
}
