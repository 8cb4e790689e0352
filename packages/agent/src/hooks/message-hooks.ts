/** Runs the hooks that may replace a message before it is recorded, and validates what they return. */

import type { AssistantMessage, ToolResultMessage, UserMessage } from "@pith/context";
import { runHooks } from "@pith/context/host";
import { AppendError } from "../append-entries.ts";
import type { HookContext } from "./hooks.ts";
import {
  isSameJson,
  keepAttachmentMarks,
  parseBlocks,
  parseContent,
  parseJsonDetails,
  parseReplyContent,
} from "./parse-content.ts";

export type ReplaceableMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** Each hook gets the message as the previous hook left it, with secrets redacted. An abort leaves the message as it is. */
export async function runMessageHooks<Message extends ReplaceableMessage>(
  message: Message,
  { session, hooks, runtime, signal }: HookContext,
): Promise<Message> {
  let current = message;
  for (const hook of hooks.message_end ?? []) {
    const read = (result: unknown): Message | null => session.redact(parseMessage(result, current));
    const createEvent = () => ({
      type: "message_end" as const,
      message: JSON.parse(JSON.stringify(current)) as Message,
    });
    const { answers, isCancelled } = await runHooks([hook], createEvent, { host: hooks, runtime, signal, read });
    if (isCancelled && !signal.aborted) throw new AppendError(MESSAGE_HOOK_FAILED);
    current = answers[0] ?? current;
  }
  return current;
}

const MESSAGE_HOOK_FAILED =
  "a message_end hook failed, so the message was not recorded; fix the hook, then send the message again";

function parseMessage<Message extends ReplaceableMessage>(result: unknown, original: Message): Message | null {
  const { message } = Object(result) as { readonly message?: unknown };
  if (message === undefined || message === null) return null;
  const fields = Object(message) as Readonly<Record<string, unknown>>;
  if (fields.role !== original.role) throw new Error(`the message must have the role ${original.role}`);
  return { ...original, ...parseChanges(original, fields) };
}

function parseChanges(
  original: ReplaceableMessage,
  fields: Readonly<Record<string, unknown>>,
): Partial<ReplaceableMessage> {
  switch (original.role) {
    case "user":
      return { content: keepAttachmentMarks(original.content, requireContent(parseContent(fields.content))) };
    case "toolResult":
      return parseResultChanges(original, fields);
    case "assistant":
      checkReadonlyFields(original, fields);
      return { content: parseReplyContent(original.content, fields.content) };
  }
}

function requireContent<Content extends { readonly length: number }>(content: Content): Content {
  if (content.length === 0) throw new Error("the message is empty");
  return content;
}

function parseResultChanges(
  original: ToolResultMessage,
  { toolCallId, content, details, isError }: Readonly<Record<string, unknown>>,
): Partial<ToolResultMessage> {
  if (toolCallId !== original.toolCallId) throw new Error("the result's toolCallId must not change");
  return {
    content: parseBlocks(content),
    ...(details !== undefined && { details: parseJsonDetails(details) }),
    ...(typeof isError === "boolean" && { isError }),
  };
}

/** Set by the provider: what was charged, by which model, and why the reply ended. */
const READONLY_FIELDS = ["api", "provider", "model", "usage", "stopReason", "timestamp"] as const;

function checkReadonlyFields(original: AssistantMessage, fields: Readonly<Record<string, unknown>>): void {
  const changedField = READONLY_FIELDS.find((name) => !isSameJson(original[name], fields[name]));
  if (changedField) throw new Error(`the reply's ${changedField} field must not change`);
}
