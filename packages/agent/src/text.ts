/** Compares paths, quotes for a shell, spells out invisible characters, cuts and decodes text, detects image types and hashes bytes. */

/** Whether a path is the folder itself or is inside it. */
export function isWithin(folder: string, path: string): boolean {
  const slash = isWindowsPath(folder) ? "\\" : "/";
  return path === folder || path.startsWith(folder.endsWith(slash) ? folder : `${folder}${slash}`);
}

/** Whether this is an absolute Windows path. On other systems no absolute path starts like this. */
function isWindowsPath(path: string): boolean {
  return path[0] !== "/" && (path.startsWith(":\\", 1) || path.startsWith("\\\\"));
}

/** The path relative to the folder if it is inside, else the path itself. */
export function shortenPath(folder: string, path: string): string {
  return path !== folder && isWithin(folder, path) ? path.slice(folder.length).replace(/^[\\/]/, "") : path;
}

/** Quotes the text as one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Escapes control characters and invisible characters, line breaks included. Tabs and the joiners of scripts and emoji stay.
 */
export function escapeInvisible(text: string): string {
  return text.replace(invisiblePattern(), escapeCharacter);
}

/** For texts that a user decides on: also escapes characters that could be mistaken for others. */
export function escapeAllInvisible(text: string): string {
  return text.replace(invisibleOrAmbiguousPattern(), escapeCharacter);
}

// Control and format characters (text direction, zero width, tags), other line ends, lone surrogates.
const invisiblePattern = (): RegExp => /[^\P{Cc}\t]|[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}\p{Cs}]/gu;
// Also private-use characters, variation selectors and blank letters.
const invisibleOrAmbiguousPattern = (): RegExp =>
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return SHORT_ESCAPES[character] ?? (code <= 0xff ? `\\x${digits.padStart(2, "0")}` : `\\u{${digits}}`);
}

/** The index, or the one before it if a cut there would split a surrogate pair. */
export function safeCutIndex(text: string, index: number): number {
  const splitsSurrogatePair = LOW_SURROGATE.test(text[index] ?? "") && HIGH_SURROGATE.test(text[index - 1] ?? "");
  return splitsSurrogatePair ? index - 1 : index;
}

const LOW_SURROGATE = /[\udc00-\udfff]/;
const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Decodes text without its byte order mark; null if the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const encoding = detectUtf16(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  return isPlainText(bytes.subarray(0, TEXT_SAMPLE_BYTES)) ? new TextDecoder().decode(bytes) : null;
}

/** Whether a file that starts with these bytes is UTF-8 or single-byte text, which can be cut between lines. */
export function isPlainText(sample: Uint8Array): boolean {
  return detectUtf16(sample) === null && !sample.includes(0) && isMostlyText(sample);
}

/** Git also looks only at the start of a file. */
export const TEXT_SAMPLE_BYTES = 8_192;

/** By the byte order mark. */
export function detectUtf16([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** Text in an old encoding has some invalid bytes; binary files have many. */
function isMostlyText(bytes: Uint8Array): boolean {
  const sample = new TextDecoder().decode(bytes);
  const oddCount = sample.match(ODD_CHARACTERS)?.length ?? 0;
  return oddCount <= sample.length * MAX_ODD_SHARE;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const ODD_CHARACTERS = /[\ufffd\x01-\x07\x0e-\x1a\x1c-\x1f]/g;
const MAX_ODD_SHARE = 0.1;

/** By the first bytes, because a file name can be wrong. */
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
