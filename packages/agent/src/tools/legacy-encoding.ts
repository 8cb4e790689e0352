/** Guesses and converts the encodings that were common before Unicode. Load it lazily, because the tables of the libraries are large. */

import { analyse } from "chardet";
import iconv from "iconv-lite";
import { TEXT_SAMPLE_BYTES } from "../text.ts";

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

/** Null if the bytes do not look like text in any of these encodings. */
export function decodeLegacy(bytes: Uint8Array): DecodedFile | null {
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

export function encodeLegacy(text: string, encoding: string): EncodeResult {
  const bytes = iconv.encode(text, encoding);
  if (iconv.decode(bytes, encoding) === text) return { type: "encoded", bytes };
  const character = [...text].find((each) => iconv.decode(iconv.encode(each, encoding), encoding) !== each);
  return { type: "unencodable", character: character ?? "" };
}

/** Without a good guess, only text with a few other letters is taken for text. */
function isMostlyAscii(sample: Uint8Array): boolean {
  return sample.filter((byte) => byte >= 0x80).length <= sample.length * MAX_HIGH_SHARE;
}

const MAX_HIGH_SHARE = 0.4;
