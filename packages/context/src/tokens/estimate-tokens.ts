/** Estimates the tokens and bytes of texts, messages, tools and images, without a tokenizer. */

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

/** Close to what o200k_base counts, on any kind of text. */
export function textTokens(text: string): number {
  return textSize(text).tokens;
}

// Tokens and bytes of UTF-8 in one pass: the first plan of a session measures every text in it.
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
    if (code >= 0x80) bytes += code < 0x800 || isSurrogate(code) ? 1 : 2;
  }
  // A lone space has nothing to be counted with, and yet is a token.
  return { tokens: Math.max(Math.min(text.length, 1), Math.round(cost / TOKEN_COST)), bytes };
}

// A pair of them takes four bytes.
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

/** Made when it is first needed, so that no start waits for it. */
let tokenTable: TokenCostTable | undefined;

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
  if (!hasBytes(base64, 0, "\x89PNG\r\n\x1a\n")) return null;
  return { width: readBigEndian(base64, 16, 4), height: readBigEndian(base64, 20, 4) };
}

function gifSize(base64: string): ImageSize | null {
  if (!hasBytes(base64, 0, "GIF8")) return null;
  return { width: readLittleEndian(base64, 6, 2), height: readLittleEndian(base64, 8, 2) };
}

// Three ways to say it: plain, without loss, extended.
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

// One segment after another, until the one that begins the picture. Pictures have a few dozen; more is no picture.
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

// C4, C8 and CC lie in between and are none.
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

/** NaN behind the end, and where no base64 stands. */
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

/** Of a message as `convertToLlm` gives it, estimated. */
export function messageTokens(message: Message): number {
  return measureMessage(message).tokens;
}

/** The tokens of a whole request, as they are estimated: system prompt, tools and messages. */
export function requestTokens({ system, tools, messages }: Pick<Request, "system" | "tools" | "messages">): number {
  const fixedTexts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))];
  return (
    fixedTexts.reduce((sum, text) => sum + textTokens(text), 0) +
    messages.reduce((sum, message) => sum + messageTokens(message), 0)
  );
}

/** About as many as it takes on the wire. */
export function messageBytes(message: Message): number {
  return measureMessage(message).bytes;
}

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

// Roles, ids and brackets around each. Claude takes about 12 tokens for a result and 50 for a call, others take less.
const MESSAGE_FRAME: SizeEstimate = { tokens: 8, bytes: 60 };
const TOOL_CALL_FRAME: SizeEstimate = { tokens: 30, bytes: 80 };

// Encrypted text is four letters for three bytes, and a token is about four of those.
function signatureSize(signature: string): SizeEstimate {
  return { tokens: Math.ceil(signature.length / 5), bytes: signature.length };
}

// What a tool of the provider's own has found goes back whole, most of it encrypted.
function serverToolSize({ served }: BlockData): SizeEstimate {
  return served === undefined ? ZERO_SIZE : signatureSize(JSON.stringify(served) ?? "");
}

// What Anthropic charges, which is the dearest; about the mean of it where the size is not known.
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
