/** Defines provider rules, and reads the messages, blocks and calls of a request for their checks. Accepts any JSON and never throws. */

import { isObject, type JsonObject } from "../../../src/json.ts";
import type { ModelName, Request } from "../../../src/model.ts";

export interface ProviderRule {
  readonly id: string;
  readonly description: string;
  readonly findViolations: RequestCheck;
}

/** Returns the faults of a request with their paths, e.g. `messages[3]: result c7 has no call`; empty if it is valid. */
export type RequestCheck = (request: Request, model: ModelName) => readonly string[];

/** Defines a rule that is violated if any of its checks finds a fault. */
export function defineProviderRule(id: string, description: string, ...checks: readonly RequestCheck[]): ProviderRule {
  return { id, description, findViolations: (request, model) => checks.flatMap((check) => check(request, model)) };
}

export interface RequestMessage {
  readonly at: string;
  readonly index: number;
  readonly role: string;
  readonly message: JsonObject;
  readonly blocks: readonly RequestBlock[];
}

export interface RequestBlock {
  readonly at: string;
  readonly type: string;
  readonly block: JsonObject;
}

export interface RequestToolCall extends RequestBlock {
  readonly id: string;
  readonly name: string;
}

/** Reads the messages of a request; cached, because two dozen checks read the same request. */
export function requestMessages(request: Request): readonly RequestMessage[] {
  const cached = messagesByRequest.get(request);
  if (cached) return cached;
  const messages = readListField(request, "messages").map(toRequestMessage);
  if (isObject(request)) messagesByRequest.set(request, messages);
  return messages;
}

/** The assistant messages of a request. */
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

export function toJsonObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function readStringField(value: unknown, key: string): string {
  const field = toJsonObject(value)[key];
  return typeof field === "string" ? field : "";
}

export function readListField(value: unknown, key: string): readonly unknown[] {
  const field = toJsonObject(value)[key];
  return Array.isArray(field) ? field : [];
}

const messagesByRequest = new WeakMap<object, readonly RequestMessage[]>();

function toRequestMessage(value: unknown, index: number): RequestMessage {
  const message = toJsonObject(value);
  const at = `messages[${index}]`;
  return { at, index, role: readStringField(message, "role"), message, blocks: toRequestBlocks(message, at) };
}

function toRequestBlocks(message: JsonObject, at: string): readonly RequestBlock[] {
  const content = message.content;
  if (typeof content === "string") {
    return [{ at: `${at}.content`, type: "text", block: { type: "text", text: content } }];
  }
  return readListField(message, "content").map((value, index) => {
    return { at: `${at}.content[${index}]`, type: readStringField(value, "type"), block: toJsonObject(value) };
  });
}
