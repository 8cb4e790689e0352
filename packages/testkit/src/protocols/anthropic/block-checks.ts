/** Checks single blocks of an Anthropic request: kinds, fields, texts, images, ids, arguments and signatures. */

import { imageFault, isBlank, isObject, type Json, listOf, objectsIn, stranger, textOf, webImages } from "../json.ts";
import type { Body } from "../protocol.ts";
import { isSealed, signature } from "../signature.ts";
import { foundBlockFaults, searchBlockFaults } from "./conversation-checks.ts";

export function* blockFaults({ model, system, messages }: Body): Generator<string> {
  for (const [at, block] of listOf(system).entries()) yield* systemFaults(block, `system.${at}`);
  for (const [at, message] of listOf(messages).entries()) {
    if (!isObject(message)) yield `messages.${at}: Input should be a valid dictionary`;
    else yield* contentFaults(message, { at: `messages.${at}`, model: textOf(model) });
  }
}

interface Place {
  readonly at: string;
  readonly model: string;
}

function* systemFaults(block: unknown, at: string): Generator<string> {
  if (!isObject(block) || block.type !== "text") yield `${at}: Input should be a text block`;
  else if (isBlank(block.text)) yield "system: text content blocks must be non-empty";
}

function* contentFaults({ role, content }: Json, { at, model }: Place): Generator<string> {
  if (typeof content === "string") {
    if (isBlank(content)) yield `${at}: all messages must have non-empty content`;
    return;
  }
  if (listOf(content).length === 0)
    yield `${at}: all messages must have non-empty content except for the optional final assistant message`;
  for (const [index, block] of listOf(content).entries()) {
    const place = { at: `${at}.content.${index}`, model };
    if (!isObject(block)) yield `${place.at}: Input should be a valid dictionary`;
    else yield* role === "assistant" ? replyBlock(block, place) : userBlock(block, place);
  }
}

function* userBlock(block: Json, { at }: Place): Generator<string> {
  switch (block.type) {
    case "text":
      yield* textFaults(block);
      return;
    case "image":
      yield* pictureFaults(block, at);
      return;
    case "tool_result":
      if (!isId(block.tool_use_id))
        yield `${at}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      for (const [index, inner] of listOf(block.content).entries())
        if (isObject(inner)) yield* userBlock(inner, { at: `${at}.tool_result.content.${index}`, model: "" });
      return;
    case "document":
    case "search_result":
    case "tool_reference":
      return;
    default:
      yield `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role user`;
  }
}

function* replyBlock(block: Json, { at, model }: Place): Generator<string> {
  switch (block.type) {
    case "text":
      yield* textFaults(block);
      return;
    case "thinking":
      if (block.signature !== signature(model, textOf(block.thinking)))
        yield `${at}: Invalid \`signature\` in \`thinking\` block`;
      return;
    case "redacted_thinking":
      if (!isSealed(model, block.data)) yield `${at}: Invalid \`data\` in \`redacted_thinking\` block`;
      return;
    case "tool_use":
      if (!isId(block.id)) yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (typeof block.name !== "string" || !/^[a-zA-Z0-9_-]{1,200}$/.test(block.name))
        yield `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
      if (!isObject(block.input)) yield `${at}.tool_use.input: Input should be a valid dictionary`;
      return;
    case "server_tool_use":
      yield* searchBlockFaults(block, at);
      return;
    case "web_search_tool_result":
      yield* foundBlockFaults(block, at);
      return;
    default:
      yield `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags for the role assistant`;
  }
}

function* textFaults({ text }: Json): Generator<string> {
  if (text === "") yield "messages: text content blocks must be non-empty";
  else if (isBlank(text)) yield "messages: text content blocks must contain non-whitespace text";
}

function* pictureFaults({ source }: Json, at: string): Generator<string> {
  if (!isObject(source)) yield `${at}.image.source: Field required`;
  else if (source.type === "base64") {
    const fault = imageFault(source.media_type, source.data, webImages);
    if (fault) yield `${at}.image.source.base64: ${fault}`;
    const bytes = Math.floor((textOf(source.data).length * 3) / 4);
    if (bytes > MOST_IMAGE_BYTES)
      yield `${at}.image.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${MOST_IMAGE_BYTES} bytes`;
  }
}

const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

function isId(id: unknown): boolean {
  return typeof id === "string" && /^[a-zA-Z0-9_-]+$/.test(id);
}

export function* fieldFaults({ messages }: Body): Generator<string> {
  for (const [at, message] of objectsIn(messages).entries()) {
    const strange = stranger(message, ["role", "content"]);
    if (strange !== undefined) yield `messages.${at}.${strange}: Extra inputs are not permitted`;
    yield* blockNames(message, `messages.${at}`);
  }
}

function* blockNames({ content }: Json, at: string): Generator<string> {
  for (const [index, block] of objectsIn(content).entries()) {
    const kind = String(block.type);
    const known = Object.hasOwn(BLOCKS, kind) ? BLOCKS[kind] : undefined;
    const strange = known && stranger(block, [...known, "type", "cache_control"]);
    if (strange !== undefined) yield `${at}.content.${index}.${kind}.${strange}: Extra inputs are not permitted`;
    if (kind === "tool_result") yield* blockNames(block, `${at}.content.${index}.tool_result`);
  }
}

/** Kinds that no program was seen to send are left alone. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations"],
  image: ["source"],
  tool_use: ["id", "name", "input", "caller"],
  tool_result: ["tool_use_id", "content", "is_error"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  server_tool_use: ["id", "name", "input", "caller"],
  web_search_tool_result: ["tool_use_id", "content", "caller"],
};
