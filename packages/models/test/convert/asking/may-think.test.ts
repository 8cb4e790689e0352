/** When Anthropic is asked to think. */

import type { AssistantMessage, Message } from "@pith/context";
import { describe, expect, test } from "vitest";
import { callOptions } from "../../../src/convert/index.ts";
import { anthropic, calls, requestOf, responses, result, says, user } from "./requests.ts";

const newest = { ...anthropic, model: "claude-opus-4-8" };
const thinks = (messages: readonly Message[], to = anthropic): boolean => {
  const asked = callOptions(requestOf(messages, { thinking: "high" }), { to, maxTokens: 10_000 });
  return asked.reasoning === "high" || JSON.stringify(asked.providerOptions).includes("enabled");
};

const thought: AssistantMessage = says(
  [
    { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
    { type: "toolCall", id: "a", name: "read", arguments: {} },
  ],
  anthropic,
);
const thoughtless = calls(anthropic, "b");

const newer = [
  "claude-opus-4-6",
  "claude-sonnet-5",
  "claude-opus-4-8-20260601",
  "claude-opus-4.7",
  "anthropic/claude-sonnet-4.6",
  "claude-4.6-sonnet",
];
const older = [
  "claude-sonnet-4-20250514",
  "claude-opus-4-1-20250805",
  "anthropic/claude-opus-4.1",
  "claude-3-7-sonnet-latest",
  "claude-3.7-sonnet",
  "kimi-k2",
];

describe("a turn that goes on after results", () => {
  test("CNV15 is thought about where it began with thinking, also if later replies did without", () => {
    expect(thinks([user("go"), thought, result("a", "x")])).toBe(true);
    expect(thinks([user("go"), thought, result("a", "x"), thoughtless, result("b", "y")])).toBe(true);
  });

  test("CNV15 is not where it began without, and the next one is", () => {
    const begun = [user("go"), thoughtless, result("b", "y")];
    expect(thinks(begun)).toBe(false);
    expect(thinks([...begun, user("also this")])).toBe(false);
    expect(thinks([...begun, says([{ type: "text", text: "Done." }], anthropic), user("next")])).toBe(true);
  });

  test("CNV15 is not where another model had a hand in it", () => {
    const begun = [user("go"), thought, result("a", "x"), calls(responses, "b"), result("b", "y")];
    expect(thinks(begun)).toBe(false);
  });

  test("CNV15 is whatever it likes for a model that decides by itself, and for other protocols", () => {
    const begun = [user("go"), thoughtless, result("b", "y")];
    for (const model of newer) expect(thinks(begun, { ...newest, model })).toBe(true);
    for (const model of older) expect(thinks(begun, { ...newest, model })).toBe(false);
    expect(thinks(begun, responses)).toBe(true);
  });
});
