/** Estimates the tokens and bytes of texts, messages, tools and images, without a tokenizer, and reads the size of an image from its data. */

import type { Block, BlockData, ImageBlock, Message, SystemMessage, Tool } from "../message.ts";
import type { Request } from "../model.ts";
import {
  buildTokenCostTable,
  COST_SHIFT,
  charClassIndexes,
  ROW_MASK,
  TOKEN_COST,
  type TokenCostTable,
} from "./token-model.ts";
import { tokenWeights } from "./token-weights.ts";

/** Estimates the tokens in a text, close to what o200k_base counts for any kind of text. */
export function textTokens(text: string): number {
  return textSize(text).tokens;
}

// Counts tokens and UTF-8 bytes in one pass, because the first plan of a session measures every text in it.
function textSize(text: string): SizeEstimate {
  tokenTable ??= buildTokenCostTable(tokenWeights);
  const { cells, firstRow } = tokenTable;
  let cost = 0;
  let bytes = text.length;
  let row = firstRow;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const step = cells[row + (charClassIndexes[code] as number)] as number;
    cost += step >>> COST_SHIFT;
    row = step & ROW_MASK;
    // A surrogate pair takes four bytes.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  // A space is counted with the character after it; a single space alone is still one token.
  return { tokens: Math.max(Math.min(text.length, 1), Math.round(cost / TOKEN_COST)), bytes };
}

/** Built on first use, to keep the start-up short. */
let tokenTable: TokenCostTable | undefined;

/** Estimates the tokens in a message as `convertToLlm` returns it. */
export function messageTokens(message: Message): number {
  return measureMessage(message).tokens;
}

/** Estimates the tokens in a request: system prompt, tools and messages. */
export function requestTokens({ system, tools, messages }: Pick<Request, "system" | "tools" | "messages">): number {
  const fixedTexts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))];
  return (
    fixedTexts.reduce((sum, text) => sum + textTokens(text), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}

/** Estimates the bytes of a message in a request. */
export function messageBytes(message: Message): number {
  return measureMessage(message).bytes;
}

/** Estimates the tokens of tool definitions. */
export function toolTokens(tools: readonly Tool[]): number {
  return sumSizes(tools.map(toolSize)).tokens;
}

interface SizeEstimate {
  readonly tokens: number;
  readonly bytes: number;
}

// Messages never change, so each is measured once.
const messageSizeCache = new WeakMap<Message, SizeEstimate>();

function measureMessage(message: Message): SizeEstimate {
  const cached = messageSizeCache.get(message);
  if (cached) return cached;
  const size = sumSizes([
    MESSAGE_FRAME,
    ...(message.role === "system" ? systemSizes(message) : contentSizes(message.content)),
  ]);
  messageSizeCache.set(message, size);
  return size;
}

function systemSizes({
  content,
  sections = {},
  toolsAdded = [],
  toolsRemoved = [],
}: SystemMessage): readonly SizeEstimate[] {
  return [
    ...contentSizes(content),
    ...Object.entries(sections).flatMap(([name, text]) => [textSize(name), textSize(text ?? "")]),
    ...toolsAdded.map(toolSize),
    ...toolsRemoved.map(({ name }) => textSize(name)),
  ];
}

function contentSizes(content: string | readonly Block[]): readonly SizeEstimate[] {
  return typeof content === "string" ? [textSize(content)] : content.map(blockSize);
}

function blockSize(block: Block): SizeEstimate {
  switch (block.type) {
    case "text":
      return block.pith ? sumSizes([textSize(block.text), serverToolSize(block.pith)]) : textSize(block.text);
    case "thinking":
      return block.redacted ? signatureSize(block.thinkingSignature ?? "") : textSize(block.thinking);
    case "image":
      return { tokens: imageTokens(block), bytes: block.data.length };
    case "toolCall":
      return sumSizes([TOOL_CALL_FRAME, textSize(block.name), textSize(JSON.stringify(block.arguments))]);
  }
}

function toolSize({ name, description, parameters }: Tool): SizeEstimate {
  return sumSizes([MESSAGE_FRAME, textSize(JSON.stringify({ name, description, parameters }))]);
}

// Roles, ids and brackets around each. Claude takes about 12 tokens for a result and 50 for a call; other models take less.
const MESSAGE_FRAME: SizeEstimate = { tokens: 8, bytes: 60 };
const TOOL_CALL_FRAME: SizeEstimate = { tokens: 30, bytes: 80 };

// Signatures are base64: four characters for three bytes, and about five characters for a token.
function signatureSize(signature: string): SizeEstimate {
  return { tokens: Math.ceil(signature.length / 5), bytes: signature.length };
}

// Results of tools that run at the provider are sent back in full, most of them encrypted.
function serverToolSize({ served }: BlockData): SizeEstimate {
  return served === undefined ? ZERO_SIZE : signatureSize(JSON.stringify(served) ?? "");
}

// Uses Anthropic's formula, the most expensive one, and about its mean if the size is unknown.
function imageTokens({ data }: ImageBlock): number {
  const size = imageSize(data);
  return size ? Math.min(1600, Math.max(85, Math.ceil((size.width * size.height) / 750))) : 1200;
}

function sumSizes(sizes: readonly SizeEstimate[]): SizeEstimate {
  return sizes.reduce(
    (sum, { tokens, bytes }) => ({ tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }),
    ZERO_SIZE,
  );
}

const ZERO_SIZE: SizeEstimate = { tokens: 0, bytes: 0 };

/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Reads the size of a PNG, JPEG, GIF or WebP image. Null for other data, and for data that ends too early. */
export function imageSize(base64: string): ImageSize | null {
  const size = pngSize(base64) ?? gifSize(base64) ?? webpSize(base64) ?? jpegSize(base64);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

function pngSize(base64: string): ImageSize | null {
  if (!hasBytes(base64, 0, "\x89PNG\r\n\x1a\n")) return null;
  return { width: readBigEndian(base64, 16, 4), height: readBigEndian(base64, 20, 4) };
}

function gifSize(base64: string): ImageSize | null {
  if (!hasBytes(base64, 0, "GIF8")) return null;
  return { width: readLittleEndian(base64, 6, 2), height: readLittleEndian(base64, 8, 2) };
}

// WebP has three formats: lossy, lossless and extended.
function webpSize(base64: string): ImageSize | null {
  if (!hasBytes(base64, 0, "RIFF") || !hasBytes(base64, 8, "WEBP")) return null;
  if (hasBytes(base64, 12, "VP8 "))
    return { width: readLittleEndian(base64, 26, 2) & 0x3fff, height: readLittleEndian(base64, 28, 2) & 0x3fff };
  if (hasBytes(base64, 12, "VP8L")) {
    const bits = readLittleEndian(base64, 21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasBytes(base64, 12, "VP8X")) return null;
  return { width: readLittleEndian(base64, 24, 3) + 1, height: readLittleEndian(base64, 27, 3) + 1 };
}

// Skips segments until the start of a frame. Images have a few dozen segments; more means damaged data.
function jpegSize(base64: string): ImageSize | null {
  if (!hasBytes(base64, 0, "\xff\xd8")) return null;
  for (let offset = 2, segments = 0; readByte(base64, offset) === 0xff && segments < 500; segments++) {
    const marker = readByte(base64, offset + 1);
    if (isFrameMarker(marker))
      return { width: readBigEndian(base64, offset + 7, 2), height: readBigEndian(base64, offset + 5, 2) };
    offset += 2 + readBigEndian(base64, offset + 2, 2);
  }
  return null;
}

// C4, C8 and CC are in the same range but do not start a frame.
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasBytes(base64: string, from: number, bytes: string): boolean {
  return [...bytes].every((byte, index) => readByte(base64, from + index) === byte.charCodeAt(0));
}

function readBigEndian(base64: string, from: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value = value * 256 + readByte(base64, from + index);
  return value;
}

function readLittleEndian(base64: string, from: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + readByte(base64, from + index);
  return value;
}

/** NaN after the end, and for characters that are not base64. */
function readByte(base64: string, byteIndex: number): number {
  const offset = byteIndex % 3;
  const firstDigit = Math.floor(byteIndex / 3) * 4 + offset;
  const high = readSextet(base64, firstDigit);
  const low = readSextet(base64, firstDigit + 1);
  if (high === -1 || low === -1) return Number.NaN;
  return ((high << (2 + 2 * offset)) | (low >> (4 - 2 * offset))) & 0xff;
}

function readSextet(base64: string, index: number): number {
  return index < base64.length ? BASE64_DIGITS.indexOf(base64.charAt(index)) : -1;
}

const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
