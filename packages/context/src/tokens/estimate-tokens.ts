/** Estimates the tokens and bytes of texts, messages, tools and images, without a tokenizer. */

import type { Block, BlockData, ImageBlock, Message, SystemMessage, Tool } from "../message.ts";
import type { Request } from "../model.ts";
import { COST_SHIFT, ROW_MASK, sortOf, TOKEN, type TokenSteps, tokenSteps } from "./token-model.ts";
import { tokenWeights } from "./token-weights.ts";

/** Close to what o200k_base counts, on any kind of text. */
export function textTokens(text: string): number {
  return textSize(text).tokens;
}

// Tokens and bytes of UTF-8 in one pass: the first plan of a session measures every text in it.
function textSize(text: string): Size {
  tokenTable ??= tokenSteps(tokenWeights);
  const { steps, firstRow } = tokenTable;
  let cost = 0;
  let bytes = text.length;
  let row = firstRow;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const step = steps[row + (sortOf[code] as number)] as number;
    cost += step >>> COST_SHIFT;
    row = step & ROW_MASK;
    if (code >= 0x80) bytes += code < 0x800 || isSurrogate(code) ? 1 : 2;
  }
  // A lone space has nothing to be counted with, and yet is a token.
  return { tokens: Math.max(Math.min(text.length, 1), Math.round(cost / TOKEN)), bytes };
}

// A pair of them takes four bytes.
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

/** Made when it is first needed, so that no start waits for it. */
let tokenTable: TokenSteps | undefined;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Null for what is no PNG, JPEG, GIF or WebP, or broken off before it tells. Decodes only the bytes it looks at. */
export function imageSize(base64: string): ImageSize | null {
  const size = pngSize(base64) ?? gifSize(base64) ?? webpSize(base64) ?? jpegSize(base64);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

function pngSize(base64: string): ImageSize | null {
  if (!says(base64, 0, "\x89PNG\r\n\x1a\n")) return null;
  return { width: bigEndian(base64, 16, 4), height: bigEndian(base64, 20, 4) };
}

function gifSize(base64: string): ImageSize | null {
  if (!says(base64, 0, "GIF8")) return null;
  return { width: littleEndian(base64, 6, 2), height: littleEndian(base64, 8, 2) };
}

// Three ways to say it: plain, without loss, extended.
function webpSize(base64: string): ImageSize | null {
  if (!says(base64, 0, "RIFF") || !says(base64, 8, "WEBP")) return null;
  if (says(base64, 12, "VP8 "))
    return { width: littleEndian(base64, 26, 2) & 0x3fff, height: littleEndian(base64, 28, 2) & 0x3fff };
  if (says(base64, 12, "VP8L")) {
    const bits = littleEndian(base64, 21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!says(base64, 12, "VP8X")) return null;
  return { width: littleEndian(base64, 24, 3) + 1, height: littleEndian(base64, 27, 3) + 1 };
}

// One segment after another, until the one that begins the picture. Pictures have a few dozen; more is no picture.
function jpegSize(base64: string): ImageSize | null {
  if (!says(base64, 0, "\xff\xd8")) return null;
  for (let at = 2, segments = 0; byteAt(base64, at) === 0xff && segments < 500; segments++) {
    const marker = byteAt(base64, at + 1);
    if (isFrame(marker)) return { width: bigEndian(base64, at + 7, 2), height: bigEndian(base64, at + 5, 2) };
    at += 2 + bigEndian(base64, at + 2, 2);
  }
  return null;
}

// C4, C8 and CC lie in between and are none.
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function says(base64: string, from: number, bytes: string): boolean {
  return [...bytes].every((byte, at) => byteAt(base64, from + at) === byte.charCodeAt(0));
}

function bigEndian(base64: string, from: number, count: number): number {
  let value = 0;
  for (let at = 0; at < count; at++) value = value * 256 + byteAt(base64, from + at);
  return value;
}

function littleEndian(base64: string, from: number, count: number): number {
  let value = 0;
  for (let at = count - 1; at >= 0; at--) value = value * 256 + byteAt(base64, from + at);
  return value;
}

/** NaN behind the end, and where no base64 stands. */
function byteAt(base64: string, at: number): number {
  const place = at % 3;
  const first = Math.floor(at / 3) * 4 + place;
  const high = sextet(base64, first);
  const low = sextet(base64, first + 1);
  if (high === -1 || low === -1) return Number.NaN;
  return ((high << (2 + 2 * place)) | (low >> (4 - 2 * place))) & 0xff;
}

function sextet(base64: string, at: number): number {
  return at < base64.length ? DIGITS.indexOf(base64.charAt(at)) : -1;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Of a message as `convertToLlm` gives it, estimated. */
export function messageTokens(message: Message): number {
  return sizeOf(message).tokens;
}

/** The tokens of a whole request, as they are estimated: system prompt, tools and messages. */
export function requestTokens({ system, tools, messages }: Pick<Request, "system" | "tools" | "messages">): number {
  const fixed = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))];
  return (
    fixed.reduce((sum, text) => sum + textTokens(text), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
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

// Messages never change, so each is measured once.
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
      return block.pith ? total([textSize(block.text), servedSize(block.pith)]) : textSize(block.text);
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
function servedSize({ served }: BlockData): Size {
  return served === undefined ? NOTHING : redactedSize(JSON.stringify(served) ?? "");
}

// What Anthropic charges, which is the dearest; about the mean of it where the size is not known.
function imageTokens({ data }: ImageBlock): number {
  const size = imageSize(data);
  return size ? Math.min(1600, Math.max(85, Math.ceil((size.width * size.height) / 750))) : 1200;
}

function total(sizes: readonly Size[]): Size {
  return sizes.reduce((sum, { tokens, bytes }) => ({ tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }), NOTHING);
}

const NOTHING: Size = { tokens: 0, bytes: 0 };
