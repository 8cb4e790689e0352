/** A tool of the provider's own in a stream: a block in its place, a line while it comes. */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { deltaOf, emptyDraft, endingOf, fold, messageOf, servedIn } from "../../../src/convert/index.ts";

const from = { api: "anthropic-messages", provider: "anthropic", model: "claude" };
const asked: LanguageModelV4StreamPart = {
  ...{ type: "tool-call", toolCallId: "s", toolName: "web_search", input: '{"query":"x"}', providerExecuted: true },
  providerMetadata: { anthropic: { caller: { type: "direct" } } },
};
const answered: LanguageModelV4StreamPart = {
  type: "tool-result",
  toolCallId: "s",
  toolName: "web_search",
  result: [],
};
const text = (id: string, delta: string): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta });
const thought: LanguageModelV4StreamPart = { type: "reasoning-delta", id: "r", delta: "hm" };

test("NAT1 text, search and text stand in their order, and the deltas joined are the message", () => {
  const { content, seen } = played([text("0", "Let me see."), asked, answered, text("1", "There.")]);
  expect(content.map((block) => "text" in block && block.text)).toEqual([
    "Let me see.",
    '\n[searched the web for "x"]\n',
    "There.",
  ]);
  expect(seen).toBe('Let me see.\n[searched the web for "x"]\nThere.');
});

test("NAT3 call and result are kept as they came, and whether a thought came before them", () => {
  const kept = {
    ...{ id: "s", name: "web_search", input: { query: "x" }, output: [] },
    beside: { call: { anthropic: { caller: { type: "direct" } } } },
  };
  expect(servedIn(played([asked, answered]).content[0])).toEqual(kept);
  expect(servedIn(played([thought, asked, answered]).content[1])).toEqual({ ...kept, thought: true });
  const failed = played([asked, { ...answered, isError: true, result: { errorCode: "unavailable" } }]).content[0];
  expect(servedIn(failed)).toEqual({ ...kept, output: { errorCode: "unavailable" }, failed: true });
});

test("NAT8 a search without a result is a line, and keeps nothing that could be sent back", () => {
  const [block] = played([asked]).content;
  expect(block).toEqual({ type: "text", text: '\n[searched the web for "x", without an answer]\n' });
});

test("NAT8 a result without its search is passed over, and so is one that another will replace", () => {
  expect(played([answered, text("0", "a")]).content).toHaveLength(1);
  expect(servedIn(played([asked, { ...answered, preliminary: true }]).content[0])).toBeNull();
});

test("NAT1 a reply that searched and ended is no reply with calls", () => {
  const finish = { unified: "stop", raw: "end_turn" } as const;
  const draft = { ...[asked, answered].reduce(fold, emptyDraft()), finish };
  expect(endingOf(draft)).toEqual({ type: "ended", stopReason: "stop", raw: "end_turn" });
});

function played(parts: readonly LanguageModelV4StreamPart[]) {
  let [draft, seen] = [emptyDraft(), ""];
  for (const part of parts) {
    const delta = deltaOf(draft, part);
    if (delta?.type === "text-delta") seen += delta.text;
    draft = fold(draft, part);
  }
  return { content: messageOf(draft, { from, stopReason: "stop", timestamp: 0 }).content, seen };
}
