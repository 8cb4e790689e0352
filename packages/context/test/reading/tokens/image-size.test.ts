/** Sizes of images, from headers made byte by byte. */

import { expect, test } from "vitest";
import { imageSize } from "../../../src/reading/tokens/image-size.ts";

const base64 = (...parts: readonly (string | readonly number[])[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  ).toString("base64");

const png = base64("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 4, 0, 0, 0, 3, 0]);
const gif = base64("GIF89a", [0x40, 0x01, 0xf0, 0x00]);
const exif = [0xff, 0xe1, 0x00, 0x06, 1, 2, 3, 4];
const jpeg = base64([0xff, 0xd8], exif, [0xff, 0xc4, 0, 3, 9], [0xff, 0xc2, 0, 17, 8, 0x02, 0x58, 0x03, 0x20]);
const webp = (kind: string, ...rest: readonly number[]): string => base64("RIFF", [0, 0, 0, 0], "WEBP", kind, rest);

test.each([
  ["PNG", png, { width: 1024, height: 768 }],
  ["GIF", gif, { width: 320, height: 240 }],
  ["JPEG, behind other segments", jpeg, { width: 800, height: 600 }],
  ["WebP", webp("VP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01), { width: 640, height: 480 }],
  ["WebP without loss", webp("VP8L", 0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0x00), { width: 640, height: 480 }],
  [
    "WebP, extended",
    webp("VP8X", 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0x02, 0x00, 0xdf, 0x01, 0x00),
    { width: 640, height: 480 },
  ],
])("%s", (_, data, size) => {
  expect(imageSize(data)).toEqual(size);
});

test.each([
  ["nothing", ""],
  ["no image", base64("%PDF-1.7 and so on")],
  ["no base64", "!!!!"],
  ["a PNG broken off before its size", png.slice(0, 20)],
  ["a JPEG without a picture", base64([0xff, 0xd8], exif, [0xff, 0xd9])],
  ["a JPEG whose segments have no length", base64([0xff, 0xd8, 0xff, 0xe1])],
  ["a JPEG of nothing but empty segments", base64([0xff, 0xd8], Array(20_000).fill([0xff, 0xe1, 0, 2]).flat())],
  ["an image of no width", base64("GIF89a", [0, 0, 9, 0])],
])("%s has no size", (_, data) => {
  expect(imageSize(data)).toBeNull();
});
