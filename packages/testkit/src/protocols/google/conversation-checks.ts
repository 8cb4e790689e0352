/** Checks the order of a Google conversation: every call is answered at once, by name, and every search has its result. */

import { isObject, type Json, objectsIn, textOf } from "../json.ts";
import type { Body } from "../protocol.ts";
import { tellsServerTools } from "./reply.ts";

export function* conversationFaults(body: Body, model: string): Generator<string> {
  const contents = objectsIn(body.contents);
  for (const { role } of contents)
    if (!isKnownRole(role, contents.length)) yield "Please use a valid role: user, model.";
  const turns = contents.map(turnOf);
  for (const [at, turn] of turns.entries()) {
    const before = turns[at - 1];
    if (turn.calls.length > 0) yield* callFaults(turn, { before, after: turns[at + 1], model });
    if (turn.responses.length > 0) yield* responseFaults(turn, before);
  }
}

interface Turn {
  readonly isModel: boolean;
  readonly calls: readonly Json[];
  readonly responses: readonly Json[];
}

function turnOf({ role, parts }: Json): Turn {
  const all = objectsIn(parts);
  return {
    isModel: role === "model",
    calls: all.map(({ functionCall }) => functionCall).filter(isObject),
    responses: all.map(({ functionResponse }) => functionResponse).filter(isObject),
  };
}

/** A single turn need not say whose it is. */
function isKnownRole(role: unknown, turns: number): boolean {
  return role === "user" || role === "model" || role === "function" || (role === undefined && turns === 1);
}

interface Around {
  readonly before: Turn | undefined;
  readonly after: Turn | undefined;
  readonly model: string;
}

function* callFaults({ isModel, calls }: Turn, { before, after, model }: Around): Generator<string> {
  if (!isModel) yield "Please ensure that function call turn has the role model.";
  if (!before || before.isModel)
    yield "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  if (after?.responses.length !== calls.length)
    yield "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const bare = calls.find(({ id }) => textOf(id) === "");
  if (bare && pairsById(model)) yield `Function call '${textOf(bare.name)}': tool_use.id: Field required`;
}

function* responseFaults({ isModel, responses }: Turn, before: Turn | undefined): Generator<string> {
  if (isModel) yield "Please ensure that function response turn has the role user or function.";
  const open = [...(before?.calls ?? [])];
  if (open.length === 0)
    yield "Please ensure that function response turn comes immediately after a function call turn.";
  for (const { id, name } of responses) {
    const at = open.findIndex(
      (call) => call.name === name && (id === undefined || call.id === undefined || call.id === id),
    );
    if (at < 0)
      yield `Please ensure that function response parts match the function call parts: '${textOf(name)}'${id === undefined ? "" : ` with id '${textOf(id)}'`} was not called.`;
    open.splice(at, 1);
  }
}

/** Models of other houses that Google serves. */
function pairsById(model: string): boolean {
  return model.startsWith("claude-") || model.startsWith("gpt-oss-");
}

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
