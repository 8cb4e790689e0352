/** Checks single blocks of an Anthropic request: kinds, fields, texts, images, ids, arguments and signatures. */

import {
  asArray,
  asObjects,
  asString,
  checkImage,
  findUnknownKey,
  isBlank,
  isObject,
  type Json,
  WEB_IMAGE_TYPES,
} from "../json.ts";
import type { Body } from "../protocol.ts";
import { createSignature, isSealed } from "../signature.ts";
import { checkSearchBlock, checkSearchResultBlock } from "./conversation-checks.ts";

export function* checkBlocks({ model, system, messages }: Body): Generator<string> {
  for (const [index, block] of asArray(system).entries()) yield* checkSystemBlock(block, `system.${index}`);
  for (const [index, message] of asArray(messages).entries()) {
    if (!isObject(message)) yield `messages.${index}: Input should be a valid dictionary`;
    else yield* checkContent(message, { path: `messages.${index}`, model: asString(model) });
  }
}

interface CheckContext {
  readonly path: string;
  readonly model: string;
}

function* checkSystemBlock(block: unknown, path: string): Generator<string> {
  if (!isObject(block) || block.type !== "text") yield `${path}: Input should be a text block`;
  else if (isBlank(block.text)) yield "system: text content blocks must be non-empty";
}

function* checkContent({ role, content }: Json, { path, model }: CheckContext): Generator<string> {
  if (typeof content === "string") {
    if (isBlank(content)) yield `${path}: all messages must have non-empty content`;
    return;
  }
  if (asArray(content).length === 0)
    yield `${path}: all messages must have non-empty content except for the optional final assistant message`;
  for (const [index, block] of asArray(content).entries()) {
    const context = { path: `${path}.content.${index}`, model };
    if (!isObject(block)) yield `${context.path}: Input should be a valid dictionary`;
    else yield* role === "assistant" ? checkReplyBlock(block, context) : checkUserBlock(block, context);
  }
}

function* checkUserBlock(block: Json, { path }: CheckContext): Generator<string> {
  switch (block.type) {
    case "text":
      yield* checkText(block);
      return;
    case "image":
      yield* checkImageBlock(block, path);
      return;
    case "tool_result":
      if (!isValidId(block.tool_use_id))
        yield `${path}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      for (const [index, innerBlock] of asArray(block.content).entries())
        if (isObject(innerBlock))
          yield* checkUserBlock(innerBlock, { path: `${path}.tool_result.content.${index}`, model: "" });
      return;
    case "document":
    case "search_result":
    case "tool_reference":
      return;
    default:
      yield `${path}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role user`;
  }
}

function* checkReplyBlock(block: Json, { path, model }: CheckContext): Generator<string> {
  switch (block.type) {
    case "text":
      yield* checkText(block);
      return;
    case "thinking":
      if (block.signature !== createSignature(model, asString(block.thinking)))
        yield `${path}: Invalid \`signature\` in \`thinking\` block`;
      return;
    case "redacted_thinking":
      if (!isSealed(model, block.data)) yield `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
      return;
    case "tool_use":
      if (!isValidId(block.id)) yield `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (typeof block.name !== "string" || !/^[a-zA-Z0-9_-]{1,200}$/.test(block.name))
        yield `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
      if (!isObject(block.input)) yield `${path}.tool_use.input: Input should be a valid dictionary`;
      return;
    case "server_tool_use":
      yield* checkSearchBlock(block, path);
      return;
    case "web_search_tool_result":
      yield* checkSearchResultBlock(block, path);
      return;
    default:
      yield `${path}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role assistant`;
  }
}

function* checkText({ text }: Json): Generator<string> {
  if (text === "") yield "messages: text content blocks must be non-empty";
  else if (isBlank(text)) yield "messages: text content blocks must contain non-whitespace text";
}

function* checkImageBlock({ source }: Json, path: string): Generator<string> {
  if (!isObject(source)) yield `${path}.image.source: Field required`;
  else if (source.type === "base64") {
    const fault = checkImage(source.media_type, source.data, WEB_IMAGE_TYPES);
    if (fault) yield `${path}.image.source.base64: ${fault}`;
    const bytes = Math.floor((asString(source.data).length * 3) / 4);
    if (bytes > MAX_IMAGE_BYTES)
      yield `${path}.image.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${MAX_IMAGE_BYTES} bytes`;
  }
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

function isValidId(id: unknown): boolean {
  return typeof id === "string" && /^[a-zA-Z0-9_-]+$/.test(id);
}

export function* checkMessageFields({ messages }: Body): Generator<string> {
  for (const [index, message] of asObjects(messages).entries()) {
    const unknownKey = findUnknownKey(message, ["role", "content"]);
    if (unknownKey !== undefined) yield `messages.${index}.${unknownKey}: Extra inputs are not permitted`;
    yield* checkBlockFields(message, `messages.${index}`);
  }
}

function* checkBlockFields({ content }: Json, path: string): Generator<string> {
  for (const [index, block] of asObjects(content).entries()) {
    const kind = String(block.type);
    const knownKeys = Object.hasOwn(BLOCK_FIELDS, kind) ? BLOCK_FIELDS[kind] : undefined;
    const unknownKey = knownKeys && findUnknownKey(block, [...knownKeys, "type", "cache_control"]);
    if (unknownKey !== undefined)
      yield `${path}.content.${index}.${kind}.${unknownKey}: Extra inputs are not permitted`;
    if (kind === "tool_result") yield* checkBlockFields(block, `${path}.content.${index}.tool_result`);
  }
}

/** Kinds that no program was seen to send are left alone. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  server_tool_use: ["id", "name", "input", "caller"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
};
