/** Tests the token estimates of texts, messages and images. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AssistantMessage, Message, SystemMessage, Tool, UserMessage } from "../../src/message.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { imageSize, messageBytes, messageTokens, textTokens, toolTokens } from "../../src/tokens/estimate-tokens.ts";

describe("imageSize", () => {
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
    ["JPEG, after other segments", jpeg, { width: 800, height: 600 }],
    ["WebP", webp("VP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01), { width: 640, height: 480 }],
    ["WebP, lossless", webp("VP8L", 0, 0, 0, 0, 0x2f, 0x7f, 0xc2, 0x77, 0x00), { width: 640, height: 480 }],
    [
      "WebP, extended",
      webp("VP8X", 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0x02, 0x00, 0xdf, 0x01, 0x00),
      { width: 640, height: 480 },
    ],
  ])("is read from the header of %s", (_, data, size) => {
    expect(imageSize(data)).toEqual(size);
  });

  test.each([
    ["an empty text", ""],
    ["another file", base64("%PDF-1.7 and so on")],
    ["invalid base64", "!!!!"],
    ["a PNG that ends before its size", png.slice(0, 20)],
    ["a JPEG without a frame", base64([0xff, 0xd8], exif, [0xff, 0xd9])],
    ["a JPEG whose segments have no length", base64([0xff, 0xd8, 0xff, 0xe1])],
    ["a JPEG of nothing but empty segments", base64([0xff, 0xd8], Array(20_000).fill([0xff, 0xe1, 0, 2]).flat())],
    ["an image of no width", base64("GIF89a", [0, 0, 9, 0])],
  ])("%s has no size", (_, data) => {
    expect(imageSize(data)).toBeNull();
  });
});

describe("messageTokens", () => {
  const says = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: 0 });
  const replies = (...content: AssistantMessage["content"]): AssistantMessage => ({
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "storyteller",
    usage: emptyUsage,
    stopReason: "stop",
    timestamp: 0,
  });
  const frame = messageTokens(says(""));
  const read: Tool = { name: "read", description: "Reads a file.", parameters: { type: "object", properties: {} } };

  test("a message costs its text and a small frame", () => {
    expect(frame).toBeLessThan(15);
    expect(messageTokens(says("one two three"))).toBe(frame + textTokens("one two three"));
    expect(messageTokens(says([{ type: "text", text: "one two three" }]))).toBe(frame + textTokens("one two three"));
  });

  test("thinking counts by its text, redacted thinking by its signature", () => {
    expect(messageTokens(replies({ type: "thinking", thinking: "one two three" }))).toBe(
      frame + textTokens("one two three"),
    );
    const redacted = { type: "thinking", thinking: "", thinkingSignature: "x".repeat(500), redacted: true } as const;
    expect(messageTokens(replies(redacted))).toBe(frame + 100);
  });

  test("results of a provider's own tool count in addition to the text", () => {
    const withResults = { type: "text", text: "one two three", pith: { served: "x".repeat(498) } } as const;
    expect(messageTokens(replies(withResults))).toBe(frame + textTokens("one two three") + 100);
    expect(messageBytes(replies(withResults)) - messageBytes(replies({ type: "text", text: "one two three" }))).toBe(
      500,
    );
    const blob = { type: "text", text: "one two three", pith: { blob: "5891b5" } } as const;
    expect(messageTokens(replies(blob))).toBe(frame + textTokens("one two three"));
  });

  test("a call counts its name and its arguments as JSON", () => {
    const call = (content: string) =>
      messageTokens(replies({ type: "toolCall", id: "c1", name: "write", arguments: { content } }));
    expect(call("one two three") - call("")).toBe(
      textTokens('{"content":"one two three"}') - textTokens('{"content":""}'),
    );
    expect(call("")).toBeGreaterThan(frame + 10);
  });

  test("TOK3 a system message counts its text, its sections and its tools", () => {
    const system: SystemMessage = { role: "system", content: "one two", timestamp: 0 };
    const full: SystemMessage = { ...system, sections: { rules: "be good" }, toolsAdded: [read] };
    expect(messageTokens(full)).toBe(
      messageTokens(system) + textTokens("rules") + textTokens("be good") + toolTokens([read]),
    );
    expect(toolTokens([read])).toBeGreaterThan(textTokens(JSON.stringify(read.parameters)));
    expect(toolTokens([read, read])).toBe(2 * toolTokens([read]));
    expect(toolTokens([])).toBe(0);
  });

  const png = (width: number, height: number): string => {
    const header = Buffer.alloc(24);
    header.write("\x89PNG\r\n\x1a\n", "latin1");
    header.writeUInt32BE(width, 16);
    header.writeUInt32BE(height, 20);
    return header.toString("base64");
  };

  test.each([
    ["what its size implies", png(750, 100), 100],
    ["a minimum if it is small", png(10, 10), 85],
    ["a maximum if it is big", png(4000, 4000), 1600],
    ["a fixed estimate if it is unreadable", "AAAA", 1200],
  ])("an image costs %s", (_, data, tokens) => {
    expect(messageTokens(says([{ type: "image", data, mimeType: "image/png" }]))).toBe(frame + tokens);
  });

  test("bytes are UTF-8 bytes, and for an image its base64 length", () => {
    const bytes = (text: string): number => messageBytes(says(text)) - messageBytes(says(""));
    for (const text of ["plain", "größer", "汉字", "👍"]) expect(bytes(text)).toBe(Buffer.byteLength(text));
    const image = says([{ type: "image", data: "A".repeat(4000), mimeType: "image/png" }]);
    expect(messageBytes(image) - messageBytes(says(""))).toBe(4000);
  });

  test("a message is measured once", () => {
    let reads = 0;
    const message: Message = {
      role: "user",
      get content() {
        reads++;
        return "said once";
      },
      timestamp: 0,
    };
    for (let times = 0; times < 3; times++) messageTokens(message);
    messageBytes(message);
    expect(reads).toBeLessThanOrEqual(2);
  });
});

describe("textTokens", () => {
  test("an empty text costs 0 tokens and any other at least 1", () => {
    expect(textTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "binary" }), (text) => {
        expect(textTokens(text)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test("lone surrogates, control characters and all other UTF-16 units have a cost", () => {
    const every = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join("");
    expect(Number.isSafeInteger(textTokens(every))).toBe(true);
    expect(textTokens("\ud800".repeat(100))).toBeGreaterThan(50);
    expect(textTokens("\udc00".repeat(100))).toBeGreaterThan(50);
  });

  test.each([
    ["the", 1],
    ["word by word", 3],
    ["123456", 2],
    ["useState", 2],
    ["=".repeat(40), 2],
    ["line;\nline;\n", 4],
    ["    indented", 2],
    [" ", 1],
  ])("counts common text exactly: %j", (text, tokens) => {
    expect(textTokens(text)).toBe(tokens);
  });

  test("two texts cost about as much as their concatenation", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
        expect(Math.abs(textTokens(one + other) - textTokens(one) - textTokens(other))).toBeLessThanOrEqual(4);
      }),
    );
  });

  test("random letters cost more than words", () => {
    expect(textTokens("xqzjvkwqpfgh")).toBeGreaterThan(2 * textTokens("understanding"));
    expect(textTokens("dGhlIHF1aWNr")).toBeGreaterThan(2 * textTokens("understanding"));
  });
});
