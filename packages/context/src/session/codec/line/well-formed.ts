/** Whether a line's fields are what its kind promises. What is not becomes an unknown entry: kept, named, never in a context. */

import type { Entry } from "../../../entry.ts";
import { isObject, type JsonObject } from "./read-line.ts";

type Field = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Field>>;

/** Names the first field that is wrong, or null. A kind we do not know has no wrong fields. */
export function wrongField(value: JsonObject): string | null {
  const kind = value.type;
  if (typeof kind !== "string") return "type";
  // Most lines are messages, and every line that is read comes by here.
  if (kind === "message") return isObject(value.message) ? wrongPart(value.message) : "message";
  return hasShape(kind) ? firstWrong(value, entryShapes[kind]) : null;
}

export function isKnownKind(kind: string): kind is KnownKind {
  return kind === "message" || hasShape(kind);
}

function hasShape(kind: string): kind is Exclude<KnownKind, "message"> {
  return Object.hasOwn(entryShapes, kind);
}

function wrongPart(message: JsonObject): string | null {
  switch (message.role) {
    case "assistant":
      return blocks(message.content) ? null : "message.content";
    case "toolResult":
      if (!string(message.toolCallId)) return "message.toolCallId";
      return blocks(message.content) ? null : "message.content";
    case "user":
    case "system":
    case "custom":
      return content(message.content) ? null : "message.content";
    case "bashExecution":
      if (!string(message.command)) return "message.command";
      return maybeString(message.output) ? null : "message.output";
    default:
      return "message.role";
  }
}

type KnownKind = Exclude<Entry["type"], "unknown" | "gap">;

function firstWrong(value: JsonObject, shape: Shape): string | null {
  for (const field in shape) if (!shape[field]?.(value[field])) return field;
  return null;
}

const string: Field = (value) => typeof value === "string";
const maybeString: Field = (value) => value === undefined || typeof value === "string";
const object: Field = isObject;
const list: Field = Array.isArray;
// pi writes null where a message has no content, and reads it as nothing.
const content: Field = (value) => value == null || typeof value === "string" || Array.isArray(value);
const blocks: Field = (value) => value == null || Array.isArray(value);
const replacement: Field = (value) =>
  value === null || (isObject(value) && value.content != null && content(value.content));

const entryShapes: Readonly<Record<Exclude<KnownKind, "message">, Shape>> = {
  compaction: { summary: string },
  branch_summary: { summary: string },
  custom_message: { customType: string, content },
  context_edit: { targetId: string, replacement },
  model_change: { provider: string, modelId: string },
  thinking_level_change: { thinkingLevel: string },
  active_tools_change: { activeToolNames: list },
  label: { targetId: string, label: maybeString },
  session_info: { name: maybeString },
  usage: { usage: object },
  custom: { customType: string },
};
