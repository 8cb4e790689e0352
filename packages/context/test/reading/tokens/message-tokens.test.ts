/** What messages cost, part by part. */

import { expect, test } from "vitest";
import type { AssistantMessage, Message, SystemMessage, Tool, UserMessage } from "../../../src/message.ts";
import { messageBytes, messageTokens, toolTokens } from "../../../src/reading/tokens/message-tokens.ts";
import { textTokens } from "../../../src/reading/tokens/text-tokens.ts";
import { nothingUsed } from "../../../src/testing/story.ts";

const says = (content: UserMessage["content"]): UserMessage => ({ role: "user", content, timestamp: 0 });
const replies = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  provider: "anthropic",
  model: "storyteller",
  usage: nothingUsed,
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

test("thinking counts as it is sent; what is redacted counts by what holds it", () => {
  expect(messageTokens(replies({ type: "thinking", thinking: "one two three" }))).toBe(
    frame + textTokens("one two three"),
  );
  const redacted = { type: "thinking", thinking: "", thinkingSignature: "x".repeat(500), redacted: true } as const;
  expect(messageTokens(replies(redacted))).toBe(frame + 100);
});

test("what a tool of the provider's own has found counts beside its text, by what holds it", () => {
  const found = { type: "text", text: "one two three", pith: { served: "x".repeat(498) } } as const;
  expect(messageTokens(replies(found))).toBe(frame + textTokens("one two three") + 100);
  expect(messageBytes(replies(found)) - messageBytes(replies({ type: "text", text: "one two three" }))).toBe(500);
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

test("TOK3 a system message counts its words, its sections and its tools", () => {
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
  ["by its size", png(750, 100), 100],
  ["a small one the least there is", png(10, 10), 85],
  ["a big one the most there is", png(4000, 4000), 1600],
  ["an unreadable one a good guess", "AAAA", 1200],
])("an image costs %s", (_, data, tokens) => {
  expect(messageTokens(says([{ type: "image", data, mimeType: "image/png" }]))).toBe(frame + tokens);
});

test("bytes are those of UTF-8, and of an image those of its base64", () => {
  const bytes = (text: string): number => messageBytes(says(text)) - messageBytes(says(""));
  for (const text of ["plain", "größer", "汉字", "👍"]) expect(bytes(text)).toBe(Buffer.byteLength(text));
  const image = says([{ type: "image", data: "A".repeat(4000), mimeType: "image/png" }]);
  expect(messageBytes(image) - messageBytes(says(""))).toBe(4000);
});

test("a message is looked at once", () => {
  let looks = 0;
  const message: Message = {
    role: "user",
    get content() {
      looks++;
      return "said once";
    },
    timestamp: 0,
  };
  for (let times = 0; times < 3; times++) messageTokens(message);
  messageBytes(message);
  expect(looks).toBeLessThanOrEqual(2);
});
