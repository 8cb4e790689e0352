/** Decodes the text between `$'` and `'`, in which bash knows the escapes of C. */

/** Null where its bytes are no text. */
export function decodeAnsiQuoted(quoted: string): string | null {
  let isText = true;
  const text = quoted.replace(ANSI_ESCAPE_PATTERN, (match: string, code: string) => {
    const decoded = decodeEscape(code);
    isText &&= decoded !== null;
    return decoded ?? match;
  });
  return isText ? text : null;
}

const ANSI_ESCAPE_PATTERN = /\\([0-7]{1,3}|x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,8}|c.|.)/gs;

function decodeEscape(code: string): string | null {
  const [char = ""] = code;
  if (/[0-7]/.test(char)) return decodeByte(Number.parseInt(code, 8) & 0xff);
  if (char === "x" && code.length > 1) return decodeByte(Number.parseInt(code.slice(1), 16));
  if (/[uU]/.test(char) && code.length > 1) return decodeCodePoint(Number.parseInt(code.slice(1), 16));
  if (char === "c" || char === "\n") return null;
  return ANSI_ESCAPE_CHARS[char] ?? `\\${code}`;
}

/** A byte above 127 is a part of a character, and a zero ends the text. */
function decodeByte(byte: number): string | null {
  return byte > 0 && byte < 128 ? String.fromCharCode(byte) : null;
}

function decodeCodePoint(point: number): string | null {
  const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : null;
}

const ANSI_ESCAPE_CHARS: Readonly<Record<string, string>> = {
  ...{ a: "\u0007", b: "\b", e: "\u001b", E: "\u001b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
  ...{ "\\": "\\", "'": "'", '"': '"', "?": "?" },
};
