/** What a message keeps of the stream it came in: usage, cost, how it ended. */

import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import {
  applyStreamPart,
  buildAssistantMessage,
  computeCost,
  determineEnding,
  emptyDraft,
  toUsage,
} from "../../src/convert/index.ts";

const usage = (input: Partial<LanguageModelV4Usage["inputTokens"]>, output?: number): LanguageModelV4Usage => ({
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});

const finish = (unified: LanguageModelV4FinishReason["unified"], raw?: string): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: usage({ total: 10 }, 5),
});

const text: LanguageModelV4StreamPart = { type: "text-delta", id: "0", delta: "hello" };
const call: LanguageModelV4StreamPart = { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}" };
const ending = (...parts: readonly LanguageModelV4StreamPart[]) =>
  determineEnding(parts.reduce(applyStreamPart, emptyDraft()));

describe("usage", () => {
  test("CNV7 does not count cache reads and writes as input again", () => {
    expect(toUsage(usage({ total: 100, noCache: 10, cacheRead: 70, cacheWrite: 20 }, 5), undefined)).toMatchObject({
      input: 10,
      cacheRead: 70,
      cacheWrite: 20,
      output: 5,
      totalTokens: 105,
    });
    expect(toUsage(usage({ total: 100, cacheRead: 70 }, 5), undefined)).toMatchObject({ input: 30, totalTokens: 105 });
  });

  test("CNV7 counts missing, negative and invalid figures as zero", () => {
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
    expect(toUsage(null, undefined)).toMatchObject(nothing);
    expect(toUsage(usage({ total: 5, noCache: -3, cacheWrite: Number.NaN }), undefined)).toMatchObject(nothing);
  });

  test("CNV7 computes the cost of each kind by its price per million", () => {
    const tokens = { input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 };
    expect(computeCost(tokens, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toEqual({
      input: 3,
      output: 1.5,
      cacheRead: 0.6,
      cacheWrite: 1.5,
      total: 6.6,
    });
    expect(computeCost(tokens, undefined).total).toBe(0);
  });

  test("CNV7 is part of a message with its cost, model and time", () => {
    const prices = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
    const from = { api: "a", provider: "p", model: "m" };
    const draft = [text, finish("stop")].reduce(applyStreamPart, emptyDraft());
    expect(buildAssistantMessage(draft, { modelName: from, stopReason: "stop", timestamp: 42, prices })).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "hello" }],
      ...from,
      usage: {
        input: 10,
        output: 5,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 15,
        cost: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0, total: 10 },
      },
      stopReason: "stop",
      timestamp: 42,
    });
  });
});

describe("the stop reason", () => {
  test("CNV8 is the provider's, except that calls make it toolUse", () => {
    expect(ending(text, finish("stop", "end_turn"))).toEqual({ type: "ended", stopReason: "stop", raw: "end_turn" });
    expect(ending(call, finish("tool-calls"))).toEqual({ type: "ended", stopReason: "toolUse" });
    expect(ending(call, finish("stop"))).toEqual({ type: "ended", stopReason: "toolUse" });
    expect(ending(text, finish("tool-calls"))).toEqual({ type: "ended", stopReason: "stop" });
    expect(ending(text, call, finish("length"))).toEqual({ type: "ended", stopReason: "length" });
  });

  test("CNV8 that is unknown ends a reply with content and breaks an empty one", () => {
    expect(ending(text, finish("other", "novel"))).toEqual({ type: "ended", stopReason: "stop", raw: "novel" });
    expect(ending(text, finish("other", "model_length"))).toMatchObject({ stopReason: "length" });
    expect(ending(finish("other", "OTHER"))).toEqual({ type: "broken", raw: "OTHER" });
  });

  test.each(["error", "FAILED", "cancelled", "UNEXPECTED_TOOL_CALL", "malformed_response", "TOO_MANY_TOOL_CALLS"])(
    "CNV8 %s breaks any reply",
    (raw) => {
      expect(ending(text, finish("other", raw))).toEqual({ type: "broken", raw });
    },
  );

  test("CNV8 stop ends even an empty reply", () => {
    expect(ending(finish("stop", "STOP"))).toEqual({ type: "ended", stopReason: "stop", raw: "STOP" });
    expect(ending({ type: "reasoning-start", id: "0" }, finish("stop"))).toMatchObject({ type: "ended" });
  });

  test("CNV8 that is missing breaks the reply, and an error is kept unchanged", () => {
    expect(ending(text)).toEqual({ type: "broken" });
    expect(ending(text, finish("interrupted"))).toEqual({ type: "broken" });
    expect(ending(text, finish("content-filter", "refusal"))).toEqual({ type: "filtered", raw: "refusal" });
    expect(ending(text, { type: "error", error: 1 }, { type: "error", error: 2 }, finish("error"))).toEqual({
      type: "error",
      thrown: 1,
    });
  });
});
