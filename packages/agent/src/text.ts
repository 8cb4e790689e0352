/** Compares paths, spells out invisible characters, cuts and decodes text, detects image types and hashes bytes. */

/** Whether a path is the folder itself or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const slash = isWindowsPath(folder) ? "\\" : "/";
  return path === folder || path.startsWith(folder.endsWith(slash) ? folder : `${folder}${slash}`);
}

/** Absolute, as Windows spells it. On other systems no absolute path begins like this. */
function isWindowsPath(path: string): boolean {
  return path[0] !== "/" && (path.startsWith(":\\", 1) || path.startsWith("\\\\"));
}

/** From the folder where it lies inside, else as it is. */
export function shortenPath(folder: string, path: string): string {
  return path !== folder && isWithin(folder, path) ? path.slice(folder.length).replace(/^[\\/]/, "") : path;
}

/**
 * Spells out what a terminal would obey or a reader would not see. As one line. Tabs stay, and the joiners that scripts and emoji
 * are written with.
 */
export function escapeInvisible(text: string): string {
  return text.replace(invisiblePattern(), escapeCharacter);
}

/** For whoever decides by it: nothing stays that could pass for something else. */
export function escapeAllInvisible(text: string): string {
  return text.replace(invisibleOrAmbiguousPattern(), escapeCharacter);
}

// Controls, formats (marks that turn the direction of writing, zero widths, tags), other line ends, halves of characters.
const invisiblePattern = (): RegExp => /[^\P{Cc}\t]|[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}\p{Cs}]/gu;
// And what only a font knows, what changes the sign before it, and letters without ink.
const invisibleOrAmbiguousPattern = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return SHORT_ESCAPES[character] ?? (code <= 0xff ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`);
}

/** The place itself, or the one before it: a text is never cut between the halves of one character. */
export function safeCutIndex(text: string, index: number): number {
  const splitsSurrogatePair = LOW_SURROGATE.test(text[index] ?? "") && HIGH_SURROGATE.test(text[index - 1] ?? "");
  return splitsSurrogatePair ? index - 1 : index;
}

const LOW_SURROGATE = /[\udc00-\udfff]/;
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Decodes text, without its byte order mark; null where the bytes are no text. */
export function decodeText(bytes: Uint8Array): string | null {
  const encoding = detectUtf16(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  return isPlainText(bytes.subarray(0, TEXT_SAMPLE_BYTES)) ? new TextDecoder().decode(bytes) : null;
}

/** Whether something with this head is text of single bytes and UTF-8, which can be cut anywhere between lines. */
export function isPlainText(sample: Uint8Array): boolean {
  return detectUtf16(sample) === null && !sample.includes(0) && isMostlyText(sample);
}

/** As git and others do it: what is no text shows it early. */
export const TEXT_SAMPLE_BYTES = 8_192;

/** By the mark at the beginning. */
export function detectUtf16([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Text in an old encoding has a stray byte here and there; other files have them everywhere. */
function isMostlyText(bytes: Uint8Array): boolean {
  const sample = new TextDecoder().decode(bytes);
  const oddCount = sample.match(ODD_CHARACTERS)?.length ?? 0;
  return oddCount <= sample.length * MAX_ODD_SHARE;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const ODD_CHARACTERS = /[\ufffd\x01-\x07\x0e-\x1a\x1c-\x1f]/g;
const MAX_ODD_SHARE = 0.1;

/** By the first bytes, because a file name can say anything. */
export function detectImageType(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP$/.test(head) ? "image/webp" : null;
}

export async function hashBytes(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toString("hex");
}
