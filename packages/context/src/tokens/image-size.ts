/** Reads the width and height of an image from its base64 data. Decodes only the bytes it needs. */

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
