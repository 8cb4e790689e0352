/** A tool of an extension, read with care. What it throws or answers is the loop's to judge; what it is called with is a copy. */

import { jsonDetails } from "@pith/context";
import type { Intent, Tool } from "../../tool.ts";
import type { Complain } from "./complain.ts";

/** Throws where it is none; whoever registered it is told. */
export function toolIn(value: unknown, complain: Complain): Tool {
  const given = Object(value) as Partial<Tool>;
  const { name, description, isIdempotent, intent, ongoing, run } = given;
  if (typeof name !== "string" || !NAME.test(name))
    throw new Error("its name must be of letters, digits, _ and -, at most 64, and begin with a letter");
  if (typeof description !== "string" || description.trim() === "") throw new Error("it has no description");
  if (typeof run !== "function") throw new Error("it has no function run");
  const parameters = jsonDetails(given.parameters);
  if (parameters?.type !== "object") throw new Error(`its parameters must be a JSON schema of "type": "object"`);
  return {
    ...{ name, description, parameters, isIdempotent: isIdempotent === true },
    ...(typeof intent === "function" && {
      intent: (asked) => intentOf(() => intent.call(value, structuredClone(asked))),
    }),
    ...(typeof ongoing === "function" && { ongoing: () => ongoingOf(() => ongoing.call(value), { name, complain }) }),
    run: (call) => run.call(value, { ...call, arguments: structuredClone(call.arguments) }),
  };
}

const NAME = /^[A-Za-z_][\w-]{0,63}$/;

// Thrown where it is none: then the call may be anything, and is permitted as such.
function intentOf(said: () => unknown): Intent {
  const intent = Object(said()) as Readonly<Record<string, unknown>>;
  const { type, paths, command, url, name } = intent;
  const isPaths = Array.isArray(paths) && paths.every((path) => typeof path === "string");
  if ((type === "look" || type === "change") && isPaths) return { type, paths };
  if (type === "command" && typeof command === "string") return { type, command, isConfined: false };
  if (type === "fetch" && typeof url === "string") return { type, url };
  if (type === "named" && typeof name === "string") return { type, name };
  if (type === "nothing") return { type };
  throw new Error("its intent is none that is known");
}

interface OngoingParts {
  readonly name: string;
  readonly complain: Complain;
}

function ongoingOf(said: () => unknown, { name, complain }: OngoingParts): string | null {
  try {
    const text = said();
    if (typeof text === "string" || text === null || text === undefined) return text ?? null;
    complain(`tool ${name}`, "what goes on is no text");
  } catch (error) {
    complain(`tool ${name}`, String(error));
  }
  return null;
}
