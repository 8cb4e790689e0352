/** Width and height of an image in base64, from its first bytes: no more of it is decoded than that takes. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Null for what is no PNG, JPEG, GIF or WebP, or broken off before it tells. */
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
