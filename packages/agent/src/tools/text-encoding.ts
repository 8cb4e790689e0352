/** Detects the encoding of a text file, decodes it, and encodes new text the same way. Text that would lose bytes is marked. */

import { isPlainText, TEXT_SAMPLE_BYTES } from "../text.ts";
import type { DecodedFile, EncodeResult } from "./legacy-encoding.ts";

export type { DecodedFile, EncodeResult } from "./legacy-encoding.ts";

export const UTF_8 = "UTF-8";
const UTF_16LE = "UTF-16LE";
const UTF_16BE = "UTF-16BE";

/** Null if the file is not text. A byte order mark decides first, then strict UTF-8, then a guess that loses no byte. */
export async function decodeFile(bytes: Uint8Array): Promise<DecodedFile | null> {
  const utf16 = detectUtf16Mark(bytes);
  if (utf16 !== null) return decodeUtf16(bytes, utf16);
  const sample = bytes.subarray(0, TEXT_SAMPLE_BYTES);
  const text = decodeStrict(bytes, UTF_8);
  if (text !== null)
    return { text, encoding: UTF_8, isLossless: true, ...(!isPlainText(sample) && { looksBinary: true }) };
  if (sample.includes(0) || hasManyControls(sample)) return null;
  return (await loadLegacy()).decodeLegacy(bytes);
}

/** Encodes text for a file with this encoding. */
export async function encodeText(text: string, encoding: string): Promise<EncodeResult> {
  if (encoding === UTF_8) return { type: "encoded", bytes: new TextEncoder().encode(text) };
  if (encoding === UTF_16LE) return { type: "encoded", bytes: Buffer.from(text, "utf16le") };
  if (encoding === UTF_16BE) return { type: "encoded", bytes: Buffer.from(text, "utf16le").swap16() };
  return (await loadLegacy()).encodeLegacy(text, encoding);
}

/** Loaded with the first file that is not Unicode, because the tables are large. */
async function loadLegacy(): Promise<typeof import("./legacy-encoding.ts")> {
  return await import("./legacy-encoding.ts");
}

/** Why a text cannot be written, and what to do. */
export function describeUnencodable(name: string, character: string, encoding: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `${name} contains "${character}" (U+${code}), which ${encoding}, the encoding of the file, does not have; use other characters, or convert the file to UTF-8 with the shell first`;
}

function detectUtf16Mark([first, second, third, fourth]: Uint8Array): typeof UTF_16LE | typeof UTF_16BE | null {
  // With two zero bytes it is the mark of UTF-32.
  if (first === 0xff && second === 0xfe && !(third === 0 && fourth === 0)) return UTF_16LE;
  return first === 0xfe && second === 0xff ? UTF_16BE : null;
}

function decodeUtf16(bytes: Uint8Array, encoding: typeof UTF_16LE | typeof UTF_16BE): DecodedFile {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  // Half a character, or half a pair of them, is decoded as a replacement character.
  const isLossless = bytes.length % 2 === 0 && decodeStrict(bytes, encoding) !== null;
  return { text, encoding, isLossless };
}

function decodeStrict(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder only throws for bytes that the encoding does not have.
    return null;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const CONTROLS = /[\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]/g;
const MAX_CONTROL_SHARE = 0.02;

function hasManyControls(sample: Uint8Array): boolean {
  const count = Buffer.from(sample).toString("latin1").match(CONTROLS)?.length ?? 0;
  return count > sample.length * MAX_CONTROL_SHARE;
}
