/** What a hook may answer that is no answer: of every kind that code can come up with. */

const ring: Record<string, unknown> = { entries: [], messages: [] };
ring.ring = ring;
ring.message = ring;
ring.input = ring;
ring.details = ring;

/** Every field of it throws, but it can be waited for. */
const sore = new Proxy(
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

export const nonsense: readonly unknown[] = [
  0,
  Number.NaN,
  5n,
  "words",
  true,
  [],
  many,
  () => {},
  new Map(),
  ring,
  sore,
  { toString: null },
  { message: sore, input: sore, details: sore, content: sore, headers: sore, messages: sore, entries: sore },
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
