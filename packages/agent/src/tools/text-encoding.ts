/** Detects the encoding of a text file, decodes it, and encodes new text the same way. Text that would lose bytes is marked. */

import { isPlainText, TEXT_SAMPLE_BYTES } from "../text.ts";

/** The text of a file and how to write it back. */
export interface DecodedFile {
  /** With a byte order mark if the file has one, and with its own line ends. */
  readonly text: string;
  /** For people, such as `UTF-8` or `Shift_JIS`. */
  readonly encoding: string;
  /** Whether encoding the text gives exactly the bytes of the file. If not, the file must not be written. */
  readonly isLossless: boolean;
  /** It is valid text, but has characters that only programs write. It is not shown. */
  readonly looksBinary?: true;
}

export type EncodeResult =
  | { readonly type: "encoded"; readonly bytes: Uint8Array }
  /** The first character that the encoding does not have. */
  | { readonly type: "unencodable"; readonly character: string };

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
  return sample.includes(0) || hasManyControls(sample) ? null : await decodeLegacy(bytes);
}

/** Encodes text for a file with this encoding. */
export async function encodeText(text: string, encoding: string): Promise<EncodeResult> {
  if (encoding === UTF_8) return { type: "encoded", bytes: new TextEncoder().encode(text) };
  if (encoding === UTF_16LE) return { type: "encoded", bytes: Buffer.from(text, "utf16le") };
  if (encoding === UTF_16BE) return { type: "encoded", bytes: Buffer.from(text, "utf16le").swap16() };
  const { default: iconv } = await import("iconv-lite");
  const bytes = iconv.encode(text, encoding);
  if (iconv.decode(bytes, encoding) === text) return { type: "encoded", bytes };
  const character = [...text].find((each) => iconv.decode(iconv.encode(each, encoding), encoding) !== each);
  return { type: "unencodable", character: character ?? "" };
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

/** The encodings that are guessed, with the confidence in percent from which the guess counts. */
const MIN_CONFIDENCE: Readonly<Record<string, number>> = {
  Shift_JIS: 50,
  GB18030: 50,
  Big5: 50,
  "EUC-JP": 50,
  "EUC-KR": 50,
  "windows-1251": 40,
  "KOI8-R": 40,
};
const DEFAULT_ENCODING = "windows-1252";
const GUESS_BYTES = 64 * 1024;

/** Loaded only for a file that is not UTF-8, because the tables are large. */
async function decodeLegacy(bytes: Uint8Array): Promise<DecodedFile | null> {
  const [{ analyse }, { default: iconv }] = await Promise.all([import("chardet"), import("iconv-lite")]);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [best] = analyse(bytes.subarray(0, GUESS_BYTES));
  const guess = best && best.confidence >= (MIN_CONFIDENCE[best.name] ?? Number.POSITIVE_INFINITY) ? [best.name] : [];
  if (guess.length === 0 && !isMostlyAscii(bytes.subarray(0, TEXT_SAMPLE_BYTES))) return null;
  for (const encoding of [...guess, DEFAULT_ENCODING]) {
    const text = iconv.decode(buffer, encoding, { stripBOM: false });
    if (iconv.encode(text, encoding).equals(buffer)) return { text, encoding, isLossless: true };
  }
  const encoding = guess[0] ?? DEFAULT_ENCODING;
  return { text: iconv.decode(buffer, encoding), encoding, isLossless: false };
}

/** Without a good guess, only text with a few other letters is taken for text. */
function isMostlyAscii(sample: Uint8Array): boolean {
  return sample.filter((byte) => byte >= 0x80).length <= sample.length * MAX_HIGH_SHARE;
}

const MAX_HIGH_SHARE = 0.4;
