/** Streams of all shapes become drafts, and drafts become messages. */

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyStreamPart,
  buildAssistantMessage,
  type Delta,
  type Draft,
  emptyDraft,
  toDelta,
} from "../../src/convert/index.ts";

const from = { api: "anthropic-messages", provider: "anthropic", model: "claude" };
const folded = (...parts: readonly LanguageModelV4StreamPart[]): Draft => parts.reduce(applyStreamPart, emptyDraft());
const content = (parts: readonly LanguageModelV4StreamPart[], api = from.api) =>
  buildAssistantMessage(folded(...parts), { modelName: { ...from, api }, stopReason: "stop", timestamp: 7 }).content;

describe("blocks", () => {
  test("CNV1 are in the order in which they began, for any order of deltas", () => {
    const blocks = content([
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "0" },
      { type: "tool-input-start", id: "a", toolName: "read" },
      { type: "tool-input-start", id: "b", toolName: "bash" },
      { type: "tool-input-delta", id: "b", delta: '{"command"' },
      { type: "text-delta", id: "0", delta: "Both " },
      { type: "tool-input-delta", id: "a", delta: '{"path":"x"}' },
      { type: "tool-input-delta", id: "b", delta: ':"ls"}' },
      { type: "tool-call", toolCallId: "b", toolName: "bash", input: '{"command":"ls"}' },
      { type: "text-delta", id: "0", delta: "now" },
      { type: "tool-call", toolCallId: "a", toolName: "read", input: '{"path":"x"}' },
    ]);
    expect(blocks).toEqual([
      { type: "text", text: "Both now" },
      { type: "toolCall", id: "a", name: "read", arguments: { path: "x" } },
      { type: "toolCall", id: "b", name: "bash", arguments: { command: "ls" } },
    ]);
  });

  test("CNV1 with an id that starts again are separate", () => {
    const blocks = content(
      [
        { type: "reasoning-start", id: "reasoning-0" },
        { type: "reasoning-delta", id: "reasoning-0", delta: "one" },
        { type: "reasoning-end", id: "reasoning-0" },
        { type: "text-start", id: "txt-0" },
        { type: "text-delta", id: "txt-0", delta: "two" },
        { type: "text-end", id: "txt-0" },
        { type: "reasoning-start", id: "reasoning-0" },
        { type: "reasoning-delta", id: "reasoning-0", delta: "three" },
        { type: "text-start", id: "txt-0" },
        { type: "text-delta", id: "txt-0", delta: "four" },
      ],
      "openai-completions",
    );
    expect(
      blocks.map((block) => (block.type === "text" ? block.text : (block as { thinking: string }).thinking)),
    ).toEqual(["one", "two", "three", "four"]);
  });

  test("CNV1 without content are dropped", () => {
    const blocks = content([
      { type: "text-start", id: "0" },
      { type: "text-end", id: "0" },
      { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "s", delta: "{}" },
      { type: "text-delta", id: "1", delta: "without a start" },
    ]);
    expect(blocks).toEqual([{ type: "text", text: "without a start" }]);
  });
});

describe("arguments", () => {
  const call = (input: string) => content([{ type: "tool-call", toolCallId: "c", toolName: "write", input }])[0];

  test("CNV3 that are empty become an empty object", () => {
    expect(call("")).toEqual({ type: "toolCall", id: "c", name: "write", arguments: {} });
  });

  test.each(['{"path": "a', "[1]", "null", '"text"', "not JSON"])(
    "CNV3 that are not an object (%s) become an empty object, and the call keeps their text",
    (input) => {
      expect(call(input)).toEqual({
        type: "toolCall",
        id: "c",
        name: "write",
        arguments: {},
        pith: { unread: input },
      });
    },
  );

  test("CNV3 of an incomplete call are not used, even if their text is valid JSON", () => {
    const [cut] = content([
      { type: "tool-input-start", id: "c", toolName: "rm" },
      { type: "tool-input-delta", id: "c", delta: "{}" },
    ]);
    expect(cut).toEqual({ type: "toolCall", id: "c", name: "rm", arguments: {}, pith: { unread: "{}" } });
  });
});

describe("deltas", () => {
  const piece = fc.record({
    kind: fc.constantFrom("text", "reasoning", "tool-input"),
    id: fc.constantFrom("a", "b", "c"),
    delta: fc.string({ maxLength: 4 }),
  });

  test("CNV2 joined in order are equal to the blocks of the message", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { deltas, draft } = readStream(partsOf(pieces));
        const message = buildAssistantMessage(draft, { modelName: from, stopReason: "stop", timestamp: 0 });
        const words = (type: "text" | "thinking") =>
          message.content.flatMap((block) =>
            block.type !== type ? [] : [block.type === "text" ? block.text : (block as { thinking: string }).thinking],
          );
        expect(lettersOf(joined(deltas, "text-delta"))).toBe(lettersOf(words("text").join("")));
        expect(lettersOf(joined(deltas, "thinking-delta"))).toBe(lettersOf(words("thinking").join("")));
        draft.blocks
          .filter((block) => block.kind === "call")
          .forEach((block, index) => {
            const mine = deltas.filter((delta) => delta.type === "tool-call-delta" && delta.index === index);
            expect(mine.map((delta) => (delta as { json: string }).json).join("")).toBe(block.json);
          });
      }),
    );
  });
});

/** Each id begins before its first delta. */
function partsOf(
  pieces: readonly { readonly kind: string; readonly id: string; readonly delta: string }[],
): readonly LanguageModelV4StreamPart[] {
  const begun = new Set<string>();
  return pieces.flatMap(({ kind, id, delta }) => {
    const name = `${kind}${id}`;
    const start = begun.has(name) ? [] : [{ type: `${kind}-start`, id: name, toolName: "bash" }];
    begun.add(name);
    return [...start, { type: `${kind}-delta`, id: name, delta }] as LanguageModelV4StreamPart[];
  });
}

function readStream(parts: readonly LanguageModelV4StreamPart[]): {
  readonly deltas: readonly Delta[];
  readonly draft: Draft;
} {
  const deltas: Delta[] = [];
  let draft = emptyDraft();
  for (const part of parts) {
    const delta = toDelta(draft, part);
    if (delta) deltas.push(delta);
    draft = applyStreamPart(draft, part);
  }
  return { deltas, draft };
}

function joined(deltas: readonly Delta[], type: "text-delta" | "thinking-delta"): string {
  return deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join("");
}

// Blocks that come at the same time are shown letter by letter, as they come.
function lettersOf(text: string): string {
  return [...text].sort().join("");
}
