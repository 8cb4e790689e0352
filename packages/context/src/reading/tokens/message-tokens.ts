/** What a message costs as it is sent, in tokens and in bytes; looked at once, because messages never change. */

import type { Block, ImageBlock, Message, SystemMessage, Tool } from "../../message.ts";
import { imageSize } from "./image-size.ts";
import { textTokens } from "./text-tokens.ts";

/** Of a message as `convertToLlm` gives it, estimated. */
export function messageTokens(message: Message): number {
  return sizeOf(message).tokens;
}

/** About as many as it takes on the wire. */
export function messageBytes(message: Message): number {
  return sizeOf(message).bytes;
}

export function toolTokens(tools: readonly Tool[]): number {
  return total(tools.map(toolSize)).tokens;
}

interface Size {
  readonly tokens: number;
  readonly bytes: number;
}

const sizes = new WeakMap<Message, Size>();

function sizeOf(message: Message): Size {
  const known = sizes.get(message);
  if (known) return known;
  const size = total([FRAME, ...(message.role === "system" ? systemSizes(message) : contentSizes(message.content))]);
  sizes.set(message, size);
  return size;
}

function systemSizes({ content, sections = {}, toolsAdded = [], toolsRemoved = [] }: SystemMessage): readonly Size[] {
  return [
    ...contentSizes(content),
    ...Object.entries(sections).flatMap(([name, text]) => [textSize(name), textSize(text ?? "")]),
    ...toolsAdded.map(toolSize),
    ...toolsRemoved.map(({ name }) => textSize(name)),
  ];
}

function contentSizes(content: string | readonly Block[]): readonly Size[] {
  return typeof content === "string" ? [textSize(content)] : content.map(blockSize);
}

function blockSize(block: Block): Size {
  switch (block.type) {
    case "text":
      return "pith" in block ? total([textSize(block.text), servedSize(block)]) : textSize(block.text);
    case "thinking":
      return block.redacted ? redactedSize(block.thinkingSignature ?? "") : textSize(block.thinking);
    case "image":
      return { tokens: imageTokens(block), bytes: block.data.length };
    case "toolCall":
      return total([CALL_FRAME, textSize(block.name), textSize(JSON.stringify(block.arguments))]);
  }
}

function toolSize({ name, description, parameters }: Tool): Size {
  return total([FRAME, textSize(JSON.stringify({ name, description, parameters }))]);
}

// Roles, ids and brackets around each. Claude takes about 12 tokens for a result and 50 for a call, others take less.
const FRAME: Size = { tokens: 8, bytes: 60 };
const CALL_FRAME: Size = { tokens: 30, bytes: 80 };

// Encrypted text is four letters for three bytes, and a token is about four of those.
function redactedSize(signature: string): Size {
  return { tokens: Math.ceil(signature.length / 5), bytes: signature.length };
}

// What a tool of the provider's own has found goes back whole, most of it encrypted.
function servedSize({ pith }: { readonly pith: unknown }): Size {
  const isServed = typeof pith === "object" && pith !== null && "served" in pith;
  return isServed ? redactedSize(JSON.stringify(pith.served) ?? "") : NOTHING;
}

// What Anthropic charges, which is the dearest; about the mean of it where the size is not known.
function imageTokens({ data }: ImageBlock): number {
  const size = imageSize(data);
  return size ? Math.min(1600, Math.max(85, Math.ceil((size.width * size.height) / 750))) : 1200;
}

function textSize(text: string): Size {
  return { tokens: textTokens(text), bytes: utf8Length(text) };
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) bytes += code < 0x800 || isSurrogate(code) ? 1 : 2;
  }
  return bytes;
}

// A pair of them takes four bytes.
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

function total(sizes: readonly Size[]): Size {
  return sizes.reduce((sum, { tokens, bytes }) => ({ tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }), NOTHING);
}

const NOTHING: Size = { tokens: 0, bytes: 0 };
