/** Tests that large images are shrunk with the real library, and that hostile ones cost bounded time and memory. */

import { expect, test } from "vitest";
import { readImageSize, shrinkImage } from "../../src/node/shrink-image.ts";
import { MAX_IMAGE_BYTES } from "../../src/tools/read/pages.ts";
import { createFileTools, outputText } from "../support/file-tools.ts";
import { noisyPng } from "../support/pictures.ts";

const large = noisyPng(2_400, 800);

test("FILE32 a large image is shrunk until a provider accepts it", async () => {
  expect(large.length).toBeGreaterThan(MAX_IMAGE_BYTES);
  const result = await shrinkImage(large, { maxBytes: MAX_IMAGE_BYTES });
  if (result.type === "failed") throw new Error(result.why);
  expect(result).toMatchObject({ originalWidth: 2_400, originalHeight: 800 });
  expect(result.bytes.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
  expect(readImageSize(result.bytes)).toEqual({ width: result.width, height: result.height });
  expect(result.width / result.height).toBeCloseTo(3, 1);
  const small = await shrinkImage(result.bytes, { maxBytes: 300_000 });
  expect(small.type === "shrunk" && readImageSize(small.bytes)).toMatchObject({ width: expect.any(Number) });
});

test("FILE32 read shows a large image shrunk, with both sizes", async () => {
  const { put, run } = createFileTools({ shrinkImage });
  put("a.png", large);
  const output = await run("read", { path: "a.png" });
  expect(outputText(output)).toMatch(
    /^\[a\.png: image\/png, 5\.\d MB; shrunk from 2400×800 to \d+×\d+ pixels, image\/(?:png|jpeg), [\d.]+ [KM]B\]\n<image\/(?:png|jpeg)>$/,
  );
});

test.each([
  [
    "damaged data",
    Buffer.concat([large.subarray(0, 40), Buffer.alloc(4_000_000)]),
    /could not be shrunk|not be shrunk/,
  ],
  [
    "a header that claims billions of pixels",
    withSize(large, 60_000, 60_000),
    /60000×60000 pixels, and the limit is 64 million/,
  ],
  [
    "no size at all",
    Buffer.concat([Buffer.from("\xff\xd8\xff\xe0", "latin1"), Buffer.alloc(4_000_000)]),
    /size cannot be read/,
  ],
])("FILE32 an image with %s is named instead of shown", async (_, bytes, why) => {
  const { put, run } = createFileTools({ shrinkImage });
  put("a.png", bytes);
  const output = await run("read", { path: "a.png" });
  expect(output.content).toHaveLength(1);
  expect(outputText(output)).toMatch(why);
});

test("FILE32 an abort stops shrinking at once", async () => {
  const controller = new AbortController();
  const result = shrinkImage(large, { maxBytes: MAX_IMAGE_BYTES, signal: controller.signal });
  controller.abort();
  expect(await result).toEqual({ type: "failed", why: "stopped" });
});

function withSize(bytes: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  return changed;
}
