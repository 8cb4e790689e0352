/** Reads the messages, blocks and calls of a request with their paths. Accepts any JSON and never throws. */

import type { Request } from "../../../src/model.ts";

export type JsonFields = Readonly<Record<string, unknown>>;

export interface RequestMessage {
  readonly at: string;
  readonly index: number;
  readonly role: string;
  readonly message: JsonFields;
  readonly blocks: readonly RequestBlock[];
}

export interface RequestBlock {
  readonly at: string;
  readonly type: string;
  readonly block: JsonFields;
}

export interface RequestToolCall extends RequestBlock {
  readonly id: string;
  readonly name: string;
}

/** Two dozen checks ask for the places of the same request, so it is taken apart once. */
export function requestMessages(request: Request): readonly RequestMessage[] {
  const cached = messagesByRequest.get(request);
  if (cached) return cached;
  const messages = readListField(request, "messages").map(toRequestMessage);
  if (isJsonFields(request)) messagesByRequest.set(request, messages);
  return messages;
}

/** The messages of the assistant. */
export function requestReplies(request: Request): readonly RequestMessage[] {
  return requestMessages(request).filter(({ role }) => role === "assistant");
}

export function messageToolCalls(message: RequestMessage): readonly RequestToolCall[] {
  return message.blocks
    .filter(({ type }) => type === "toolCall")
    .map((call) => ({ ...call, id: readStringField(call.block, "id"), name: readStringField(call.block, "name") }));
}

/** The items whose key an earlier item already has. */
export function findDuplicates<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const keys = new Set<string>();
  return items.filter((item) => {
    const isDuplicate = keys.has(key(item));
    keys.add(key(item));
    return isDuplicate;
  });
}

export function toJsonFields(value: unknown): JsonFields {
  return isJsonFields(value) ? value : {};
}

export function isJsonFields(value: unknown): value is JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readStringField(value: unknown, key: string): string {
  const field = toJsonFields(value)[key];
  return typeof field === "string" ? field : "";
}

export function readListField(value: unknown, key: string): readonly unknown[] {
  const field = toJsonFields(value)[key];
  return Array.isArray(field) ? field : [];
}

const messagesByRequest = new WeakMap<object, readonly RequestMessage[]>();

function toRequestMessage(value: unknown, index: number): RequestMessage {
  const message = toJsonFields(value);
  const at = `messages[${index}]`;
  return { at, index, role: readStringField(message, "role"), message, blocks: toRequestBlocks(message, at) };
}

function toRequestBlocks(message: JsonFields, at: string): readonly RequestBlock[] {
  const content = message.content;
  if (typeof content === "string") {
    return [{ at: `${at}.content`, type: "text", block: { type: "text", text: content } }];
  }
  return readListField(message, "content").map((value, index) => {
    return { at: `${at}.content[${index}]`, type: readStringField(value, "type"), block: toJsonFields(value) };
  });
}
