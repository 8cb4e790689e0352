/** What OpenAI refuses about functions, as both of its protocols declare them: names, schemas, twins, the choice among them. */

import { isObject, type Json } from "../shape.ts";
import { type Fault, missing, tooLong, unlike, wrongKind, wrongValue } from "./fault.ts";
import { twin } from "./twin.ts";

export function* functionFaults({ name, parameters }: Json, at: string): Generator<Fault> {
  yield* nameFaults(name, `${at}.name`);
  if (parameters === undefined || parameters === null) return;
  if (!isObject(parameters)) yield wrongKind(`${at}.parameters`, "an object", parameters);
  else if (Object.keys(parameters).length > 0 && parameters.type !== "object")
    yield {
      message: `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "${String(parameters.type)}"'.`,
      code: "invalid_function_parameters",
    };
}

export function* nameFaults(name: unknown, at: string): Generator<Fault> {
  if (name === undefined) yield missing(at);
  else if (typeof name !== "string") yield wrongKind(at, "a string", name);
  else if (name.length > MOST_CHARACTERS) yield tooLong(at, { most: MOST_CHARACTERS, length: name.length });
  else if (!/^[a-zA-Z0-9_-]+$/.test(name)) yield unlike(at, "^[a-zA-Z0-9_-]+$");
}

const MOST_CHARACTERS = 64;

export function* twinFaults(names: readonly unknown[]): Generator<Fault> {
  const name = twin(names.filter((each) => each !== undefined));
  if (name !== undefined) yield { message: `Tool names must be unique: '${String(name)}' is declared twice.` };
}

export function* choiceFaults(choice: unknown, names: readonly unknown[]): Generator<Fault> {
  if (choice === undefined || choice === null) return;
  if (typeof choice === "string") {
    if (!choices.includes(choice)) yield wrongValue("tool_choice", choice, choices);
  } else if (!isObject(choice)) yield wrongKind("tool_choice", "one of a string or an object", choice);
  else if (choice.type === "function") yield* forcedFaults(choice, names);
}

const choices = ["none", "auto", "required"];

/** Responses names the function beside the type, Chat Completions one level deeper. */
function* forcedFaults(choice: Json, names: readonly unknown[]): Generator<Fault> {
  const forced = isObject(choice.function) ? choice.function.name : choice.name;
  if (typeof forced !== "string") yield missing("tool_choice.name");
  else if (!names.includes(forced)) yield { message: `Tool choice '${forced}' not found in 'tools' parameter.` };
}
