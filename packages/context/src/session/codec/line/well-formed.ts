/** Whether a line's fields are what its kind promises. What is not becomes an unknown entry: kept, named, never in a context. */

import type { Entry } from "../../../entry.ts";
import type { AgentMessage } from "../../../message.ts";
import { isObject, type JsonObject } from "./read-line.ts";

type Field = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Field>>;

/** Names the first field that is wrong, or null. A kind we do not know has no wrong fields. */
export function wrongField(value: JsonObject): string | null {
  const kind = value.type;
  if (typeof kind !== "string") return "type";
  if (!isKnownKind(kind)) return null;
  const field = firstWrong(value, entryShapes[kind]);
  if (field !== null || kind !== "message") return field;
  const message = value.message as JsonObject;
  const role = message.role;
  if (typeof role !== "string" || !isKnownRole(role)) return "message.role";
  const part = firstWrong(message, messageShapes[role]);
  return part && `message.${part}`;
}

export function isKnownKind(kind: string): kind is KnownKind {
  return Object.hasOwn(entryShapes, kind);
}

type KnownKind = Exclude<Entry["type"], "unknown" | "gap">;
type KnownRole = Exclude<AgentMessage["role"], "compactionSummary" | "branchSummary">;

const isKnownRole = (role: string): role is KnownRole => Object.hasOwn(messageShapes, role);

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

const entryShapes: Readonly<Record<KnownKind, Shape>> = {
  message: { message: object },
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

const messageShapes: Readonly<Record<KnownRole, Shape>> = {
  system: { content },
  user: { content },
  assistant: { content: blocks },
  toolResult: { toolCallId: string, content: blocks },
  bashExecution: { command: string, output: maybeString },
  custom: { content },
};
