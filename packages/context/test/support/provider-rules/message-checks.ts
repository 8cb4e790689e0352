/** Checks messages: content, images, Unicode, reasoning, signatures, roles, order and cache marks. */

import { isObject, type JsonObject } from "../../../src/json.ts";
import type { ModelName, Request } from "../../../src/model.ts";
import {
  messageToolCalls,
  type RequestBlock,
  type RequestCheck,
  type RequestMessage,
  readListField,
  readStringField,
  requestMessages,
  requestReplies,
  toJsonObject,
} from "./rule.ts";

export const blankTexts: RequestCheck = (request) =>
  collectTextBlocks(request)
    .filter(({ block }) => readStringField(block, "text").trim() === "")
    .map(({ at }) => `${at}: blank text`);

/** Gemini adds a signature to an empty text and requires both back. */
export const emptyUnsignedTexts: RequestCheck = (request) =>
  collectTextBlocks(request)
    .filter(({ block }) => readStringField(block, "text") === "" && readStringField(block, "textSignature") === "")
    .map(({ at }) => `${at}: empty text`);

export const messagesWithoutBlocks: RequestCheck = (request) =>
  requestMessages(request)
    .filter(({ role, blocks }) => (role === "user" || role === "assistant") && blocks.length === 0)
    .map(({ at }) => `${at}: no content`);

/** Thinking does not count: it is sent in a field of its own. */
export const messagesWithoutContentOrCall: RequestCheck = (request) =>
  requestMessages(request)
    .filter(({ role, blocks }) => role !== "system" && blocks.every(({ type }) => type === "thinking"))
    .map(({ at }) => `${at}: neither content nor call`);

export function unreadableImages(mimeTypes: readonly string[]): RequestCheck {
  return (request) =>
    requestMessages(request)
      .flatMap(({ blocks }) => blocks.filter(({ type }) => type === "image"))
      .flatMap((image) => findImageFaults(image, mimeTypes));
}

/** The image types that most providers accept. */
export const webImageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

export const nonObjectArguments: RequestCheck = (request) =>
  requestMessages(request)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === "toolCall"))
    .filter(({ block }) => !isObject(block.arguments))
    .map(({ at }) => `${at}: arguments are not an object`);

const BASE64_PATTERN = /^[A-Za-z0-9+/]+={0,2}$/;

function findImageFaults({ at, block }: RequestBlock, mimeTypes: readonly string[]): readonly string[] {
  const mimeType = readStringField(block, "mimeType");
  return [
    ...(mimeTypes.includes(mimeType) ? [] : [`${at}: an image of type "${mimeType}"`]),
    ...(BASE64_PATTERN.test(readStringField(block, "data")) ? [] : [`${at}: an image whose data is not base64`]),
  ];
}

function collectTextBlocks(request: Request): readonly RequestBlock[] {
  return requestMessages(request)
    .filter(isConversationMessage)
    .flatMap(({ blocks }) => blocks.filter(isRequestTextBlock));
}

/** A system message may be blank: it can contain only tools. */
function isConversationMessage({ role }: RequestMessage): boolean {
  return role !== "system";
}

function isRequestTextBlock({ type }: RequestBlock): boolean {
  return type === "text";
}

/** Strict JSON parsers reject half of a surrogate pair. */
export const loneSurrogates: RequestCheck = (request) =>
  collectWireValues(request)
    .filter(([, value]) => !hasWellFormedText(value))
    .map(([at]) => `${at}: lone surrogate`);

type PathValue = readonly [at: string, value: unknown];

function collectWireValues(request: Request): readonly PathValue[] {
  return [
    ...readListField(request, "system").map((section, index): PathValue => [`system[${index}]`, section]),
    ...readListField(request, "tools").map((tool, index): PathValue => [`tools[${index}]`, tool]),
    ...requestMessages(request).map(({ at, message }): PathValue => [at, wireFields(message)]),
  ];
}

/** The fields that are sent; a result's details, for example, are not. */
function wireFields(message: JsonObject): readonly unknown[] {
  return ["content", "sections", "toolsAdded", "toolCallId", "toolName"].map((key) => message[key]);
}

/** Not recursive, so that deeply nested arguments do not overflow the stack. */
function hasWellFormedText(value: unknown): boolean {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === "string" && !next.isWellFormed()) return false;
    for (const child of childValues(next)) stack.push(child);
  }
  return true;
}

function childValues(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return Object.entries(toJsonObject(value)).flat();
}

export const repliesWithUnsignedThinking: RequestCheck = (request) =>
  requestReplies(request)
    .flatMap(selectThinkingBlocks)
    .filter(({ block }) => readStringField(block, "thinkingSignature") === "")
    .map(({ at }) => `${at}: thinking without a signature`);

/** Reasoning is sent back only to the model that created it. */
export const foreignThinking: RequestCheck = (request, model) =>
  findForeignReplies(request, model)
    .flatMap(selectThinkingBlocks)
    .map(({ at }) => `${at}: thinking of another model`);

/** Signatures of texts and calls. */
export const foreignSignatures: RequestCheck = (request, model) =>
  findForeignReplies(request, model)
    .flatMap(({ blocks }) => blocks)
    .filter(
      ({ block }) =>
        readStringField(block, "textSignature") !== "" || readStringField(block, "thoughtSignature") !== "",
    )
    .map(({ at }) => `${at}: signature of another model`);

export const repliesEndingInThinking: RequestCheck = (request) =>
  requestReplies(request)
    .filter(({ blocks }) => blocks.at(-1)?.type === "thinking")
    .map(({ at }) => `${at}: nothing follows the thinking`);

function selectThinkingBlocks({ blocks }: RequestMessage): readonly RequestBlock[] {
  return blocks.filter(({ type }) => type === "thinking");
}

function findForeignReplies(request: Request, { api, provider, model }: ModelName): readonly RequestMessage[] {
  return requestReplies(request).filter(({ message }) => {
    return message.api !== api || message.provider !== provider || message.model !== model;
  });
}

export const unknownRoles: RequestCheck = (request) =>
  requestMessages(request)
    .filter(({ role }) => !VALID_ROLES.has(role))
    .map(({ at, role }) => `${at}: role "${role}" is unknown`);

export const emptyConversation: RequestCheck = (request) =>
  requestMessages(request).some(({ role }) => role !== "system") ? [] : ["messages: the conversation is empty"];

/** System messages at the start are sent with the system prompt, so they do not count. */
export const firstMessageNotFromUser: RequestCheck = (request) => {
  const firstMessage = requestMessages(request).find(({ role }) => role !== "system");
  return firstMessage === undefined || firstMessage.role === "user"
    ? []
    : [`${firstMessage.at}: the first message is not from the user`];
};

/** System messages between two replies do not count. */
export const consecutiveReplies: RequestCheck = (request) => {
  const messages = requestMessages(request).filter(({ role }) => role !== "system");
  return messages
    .filter(({ role }, index) => role === "assistant" && messages[index - 1]?.role === "assistant")
    .map(({ at }) => `${at}: a reply follows a reply`);
};

export const callsOutOfTurn: RequestCheck = (request) => {
  const messages = requestMessages(request);
  const firstIndex = messages.findIndex(({ role }) => role !== "system");
  return messages
    .filter((message) => messageToolCalls(message).length > 0 && !followsTurn(messages, firstIndex, message.index))
    .map(({ at }) => `${at}: a call follows no turn of the user or of a tool`);
};

export const incompleteReplies: RequestCheck = (request) =>
  requestReplies(request)
    .filter(({ message }) => message.stopReason === "error" || message.stopReason === "aborted")
    .map(({ at, message }) => `${at}: a reply that ended in "${message.stopReason}"`);

const VALID_ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "toolResult"]);

/** A system message in place is sent as a turn of the user; one before the opening is not a turn. */
function followsTurn(messages: readonly RequestMessage[], firstIndex: number, index: number): boolean {
  return index > firstIndex && messages[index - 1]?.role !== "assistant";
}

export function tooManyCacheMarks(max: number): RequestCheck {
  return (request) => {
    const count = readListField(request, "cacheMarks").length;
    return count > max ? [`cacheMarks: ${count} marks, ${max} are allowed`] : [];
  };
}

export const cacheMarksWithoutMessage: RequestCheck = (request) => {
  const count = readListField(request, "messages").length;
  return readListField(request, "cacheMarks")
    .map((mark, index) => ({ at: `cacheMarks[${index}]`, mark: toJsonObject(mark) }))
    .filter(({ mark }) => mark.after === "message" && !isMessageIndex(mark.index, count))
    .map(({ at }) => `${at}: there is no such message`);
};

function isMessageIndex(value: unknown, count: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count;
}
