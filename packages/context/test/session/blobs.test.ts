/** Tests the block that stands for a blob: created, parsed and replaced by its content. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { parseEntry, serializeEntry } from "../../src/format/entry-line.ts";
import { readLine } from "../../src/format/read-line.ts";
import { collectBlobs, createBlobBlock, inlineBlobs, parseBlobBlock } from "../../src/session/blobs.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";

const hash = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
const image = createBlobBlock({ hash, mimeType: "image/png", bytes: 34816, tokens: 1200 });
const text = createBlobBlock({
  hash: hash.replaceAll("5", "6"),
  mimeType: "text/plain",
  bytes: 5_000_000,
  tokens: 1_250_000,
});
const place = { id: "e1", parentId: null, timestamp: "2026-01-01T00:00:01.000Z" };
const createMessage = (content: unknown): Entry =>
  ({ type: "message", ...place, message: { role: "user", content, timestamp: 1 } }) as Entry;

test("a blob block shows type, size, tokens and reference", () => {
  expect(image).toEqual({
    type: "text",
    text: `[image/png, 34 KB, about 1,200 tokens: blob:${hash.slice(0, 8)}]`,
    pith: { blob: hash, mimeType: "image/png", bytes: 34816 },
  });
  expect(text.text).toContain("[text/plain, 4.8 MB, about 1,250,000 tokens: blob:");
  expect(createBlobBlock({ hash, mimeType: "text/plain", bytes: 12, tokens: 3 }).text).toContain(", 12 bytes, ");
});

test("a blob block is parsed back, also from a file", () => {
  const line = new TextEncoder().encode(serializeEntry(createMessage([image])));
  const reading = readLine(line, { isPithFormat: false, checksum: testRuntime().checksum });
  const entry = reading.type === "intact" ? parseEntry(reading.value) : null;
  expect(entry && collectBlobs(entry)).toEqual([{ hash, mimeType: "image/png", bytes: 34816 }]);
});

describe("invalid blob blocks", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["nothing", null],
    ["a text", "blob"],
    ["a block without our field", { type: "text", text: image.text }],
    ["a field that is not an object", { ...image, pith: hash }],
    ["another kind of block", { ...image, type: "thinking" }],
    ["a hash that is a path", { ...image, pith: { ...image.pith, blob: "../../../../etc/passwd" } }],
    ["a hash in capitals", { ...image, pith: { ...image.pith, blob: hash.toUpperCase() } }],
    ["a hash with a line end", { ...image, pith: { ...image.pith, blob: `${hash}\n` } }],
    ["a short hash", { ...image, pith: { ...image.pith, blob: hash.slice(1) } }],
    ["a mime type with an escape sequence", { ...image, pith: { ...image.pith, mimeType: "image/\u001b[2J" } }],
    ["a mime type that is not a string", { ...image, pith: { ...image.pith, mimeType: 1 } }],
    ["a negative size", { ...image, pith: { ...image.pith, bytes: -1 } }],
    ["a size that is not a number", { ...image, pith: { ...image.pith, bytes: "34816" } }],
    ["half a byte", { ...image, pith: { ...image.pith, bytes: 0.5 } }],
  ];
  test.each(cases)("are parsed as no blob block: %s", (_, block) => expect(parseBlobBlock(block)).toBeNull());
});

test("blobs are found in messages, custom messages and edits, and nowhere else", () => {
  const found = (entry: unknown): readonly string[] => collectBlobs(entry as Entry).map((blob) => blob.mimeType);
  expect(found(createMessage(["?", image, text]))).toEqual(["image/png", "text/plain"]);
  expect(found(createMessage("only words"))).toEqual([]);
  expect(found(createMessage(null))).toEqual([]);
  expect(found({ ...place, type: "custom_message", customType: "x", content: [image], display: true })).toHaveLength(1);
  expect(found({ ...place, type: "context_edit", targetId: "e1", replacement: { content: [text] } })).toHaveLength(1);
  expect(found({ ...place, type: "context_edit", targetId: "e1", replacement: null })).toEqual([]);
  expect(found({ ...place, type: "custom", customType: "x", data: { content: [image] } })).toEqual([]);
});

test("inlineBlobs restores images and texts", () => {
  const content = (mimeType: string): string => (mimeType === "image/png" ? "aGVsbG8=" : "all of it");
  const inlined = inlineBlobs(createMessage([{ type: "text", text: "look" }, image, text]), (blob) =>
    content(blob.mimeType),
  );
  expect(inlined).toEqual(
    createMessage([
      { type: "text", text: "look" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      { type: "text", text: "all of it" },
    ]),
  );
});

test("inlineBlobs keeps the block of a lost blob, and returns an entry without blobs unchanged", () => {
  const lost = createMessage([image]);
  const words = createMessage([{ type: "text", text: "look" }]);
  expect(inlineBlobs(lost, () => null)).toBe(lost);
  expect(inlineBlobs(words, () => "x")).toBe(words);
  const edit = { ...place, type: "context_edit", targetId: "e1", replacement: { content: [image] } } as const;
  expect(inlineBlobs(edit, () => "aGk=")).toMatchObject({
    replacement: { content: [{ type: "image", data: "aGk=" }] },
  });
});
