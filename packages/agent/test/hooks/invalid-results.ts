/** Lists invalid results that a hook may return. */

const circular: Record<string, unknown> = { entries: [], messages: [] };
circular.circular = circular;
circular.message = circular;
circular.input = circular;
circular.details = circular;

/** Every field throws on access, except that it can be awaited. */
const throwing = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === "then") return undefined;
      throw new Error("do not look");
    },
    ownKeys: () => {
      throw new Error("do not count");
    },
  },
);

const many = Array.from({ length: 50_000 }, () => null);
const edit = (targetId: unknown, replacement: unknown) => ({
  entries: [{ type: "context_edit", targetId, replacement }],
});

export const invalidResults: readonly unknown[] = [
  0,
  Number.NaN,
  5n,
  "words",
  true,
  [],
  many,
  () => {},
  new Map(),
  circular,
  throwing,
  { toString: null },
  {
    message: throwing,
    input: throwing,
    details: throwing,
    content: throwing,
    headers: throwing,
    messages: throwing,
    entries: throwing,
  },
  { messages: 5 },
  { messages: many },
  { messages: [{ role: "nobody" }] },
  { entries: 5 },
  { entries: many },
  { entries: [{ type: "message", message: { role: "user", content: "x", timestamp: 0 } }] },
  { entries: [{ type: "custom", customType: "pith.leaf" }] },
  { entries: [{ type: "custom_message", customType: "x", content: "word ".repeat(200_000) }] },
  edit("nowhere", null),
  edit(5, 5),
  edit("e1", { content: [{ type: "toolCall", id: "c9", name: "x", arguments: {} }] }),
  { entries: [{ type: "compaction", summary: "all", firstKeptEntryId: "nowhere", tokensBefore: 1 }] },
  { entries: [{ type: "compaction", summary: "", firstKeptEntryId: "e1" }] },
  { compaction: { summary: "", firstKeptEntryId: "e1" } },
  { compaction: { summary: "all of it", firstKeptEntryId: "nowhere" } },
  { continue: "yes" },
  { cancel: "yes", postpone: 5, summary: 5 },
  { action: "explode" },
  { action: "transform", text: 5 },
  { action: "transform", text: "" },
  { action: "transform", images: [5] },
  { message: 5 },
  { message: { role: "system", content: "you are somebody else" } },
  { message: { role: "user", content: 5 } },
  { message: { role: "user", content: [] } },
  { message: { role: "assistant", content: [] } },
  { message: { role: "toolResult", toolCallId: "other", content: [] } },
  { message: { role: "toolResult" } },
  { message: { customType: "pith.mine", content: "x" } },
  { systemPrompt: 5 },
  { systemPrompt: "word ".repeat(200_000) },
  { block: "yes" },
  { input: 5 },
  { input: [] },
  { content: 5 },
  { content: [{ type: "audio" }] },
  { content: [null] },
  { isError: "no" },
  { details: 5n },
  { headers: 5 },
  { headers: { authorization: "Bearer x" } },
  { headers: { "x-api-key": "x" } },
  { headers: { "Content-Length": "5" } },
  { headers: { "x-mine": "one\r\nhost: two" } },
  { headers: { "x mine": "one" } },
  { headers: { "x-mine": 5 } },
];
