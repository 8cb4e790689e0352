/** Tests overflow/classify.ts: errors, replies. */

import { describe, expect, test } from "vitest";
import { classifyRefusal, detectReplyOverflow, type EndedReply } from "../../src/overflow/index.ts";
import { moreRows, refusal, rows } from "./rows.ts";

describe("errors", () => {
  const overflows = rows.filter(({ expected }) => expected === "overflow");
  const classOf = (...given: Parameters<typeof classifyRefusal>) => classifyRefusal(...given).class;

  test.each([...rows, ...moreRows])("OVF1 $provider $status: $text is $expected", (row) => {
    expect(classOf(refusal(row))).toBe(row.expected);
  });

  test("OVF1 are classified by the text alone for every row that has one", () => {
    const wrong = [...rows, ...moreRows].filter((row) => classOf(refusal({ ...row, type: null })) !== row.expected);
    expect(wrong).toEqual([]);
  });

  test.each([
    "context_length_exceeded",
    "exceed_context_size_error",
    "ContextWindowExceededError",
    "model_max_prompt_tokens_exceeded",
    "model_context_window_exceeded",
    "1261",
  ])("OVF2 with the code %s are overflow, whether it is given or in the body", (code) => {
    const text = "Please try something else.";
    expect(classOf({ status: 400, text, code })).toBe("overflow");
    expect(classOf({ status: 400, text: JSON.stringify({ error: { message: text, code } }) })).toBe("overflow");
    expect(classOf({ text: `data: ${JSON.stringify({ type: "error", error: { type: code } })}` })).toBe("overflow");
  });

  test.each([
    "rate_limit_exceeded",
    "output_tokens_exceeded",
    "image_too_large",
    "deadline_exceeded",
    "request_too_large",
  ])("OVF2 with the code %s are not overflow", (code) => {
    expect(classOf({ status: 400, text: "no", code })).not.toBe("overflow");
  });

  test.each([408, 425, 429, 500, 502, 503, 504, 529])(
    "OVF3 with status %i are never overflow, whatever text and code say",
    (status) => {
      for (const row of [...overflows, ...moreRows]) {
        expect(classOf({ ...refusal(row), status })).not.toBe("overflow");
        expect(classOf({ status, text: row.text, code: "context_length_exceeded" })).not.toBe("overflow");
      }
    },
  );

  test("OVF3 with status 429 are ratelimit, and those with other such statuses are other", () => {
    expect(classOf({ status: 429, text: "prompt is too long: 213462 tokens > 200000 maximum" })).toBe("ratelimit");
    expect(classOf({ status: 503, text: "prompt is too long: 213462 tokens > 200000 maximum" })).toBe("other");
  });

  test("OVF3 are classified by a status inside the body if HTTP reported no failure", () => {
    const body = (code: number) =>
      JSON.stringify({ error: { code, message: "Your input exceeds the context window." } });
    expect(classOf({ text: body(429) })).toBe("ratelimit");
    expect(classOf({ status: 200, text: body(503) })).toBe("other");
    expect(classOf({ status: 200, text: body(400) })).toBe("overflow");
  });

  test("OVF4 for a request larger than a minute's quota are a ceiling, unless a part of the quota was already used", () => {
    const text = (limit: number, rest: string) => `Limit ${limit}, ${rest}`;
    expect(classifyRefusal({ status: 429, text: text(30_000, "Requested 342389.") })).toEqual({
      class: "tpm_ceiling",
      limit: 30_000,
      requested: 342_389,
    });
    expect(classifyRefusal({ status: 429, text: text(30_000, "Used 29000, Requested 5000.") })).toEqual({
      class: "ratelimit",
    });
    expect(classOf({ status: 413, text: `Too large on tokens per minute: ${text(6000, "Requested 7000.")}` })).toBe(
      "tpm_ceiling",
    );
  });

  test("OVF5 with status 413 are about bytes unless they count tokens", () => {
    expect(classOf({ status: 413, text: "Prompt is too long" })).toBe("payload");
    expect(classOf({ status: 413, text: "Prompt is too long: 300000 tokens > 200000 maximum" })).toBe("overflow");
    expect(classOf({ status: 413, text: "whatever", code: "context_length_exceeded" })).toBe("overflow");
  });

  test.each([
    [413, 0.8, "overflow"],
    [413, 0.79, "payload"],
    [400, 0.8, "overflow"],
    [400, 0.79, "other"],
  ])("OVF6 with a bare %i at %d of the window are %s, for Cerebras and others", (status, share, expected) => {
    const estimate = { tokens: share * 100_000, window: 100_000 };
    for (const text of ["", `${status} status code (no body)`])
      for (const provider of ["cerebras", "x"]) expect(classOf({ status, text, provider, estimate })).toBe(expected);
  });

  test("OVF6 with another reason are not overflow because of an estimate", () => {
    const estimate = { tokens: 99_000, window: 100_000 };
    expect(classOf({ status: 400, text: "Unknown parameter: top_q", estimate })).toBe("other");
    expect(classOf({ status: 413, text: "<html><title>413 Request Entity Too Large</title></html>", estimate })).toBe(
      "payload",
    );
    expect(classOf({ status: 413, text: "Prompt is too long", estimate })).toBe("overflow");
  });

  test("OVF7 with status 401 and a text about the context are overflow", () => {
    expect(classOf({ status: 401, text: "This model supports only 256K context. Please reduce your context." })).toBe(
      "overflow",
    );
    expect(classOf({ status: 401, text: "Invalid API key" })).toBe("other");
  });

  test.each([
    'Invalid tool arguments: "prompt is too long" is not a valid value for field x',
    "Field x has the value 'prompt is too long: 5 tokens > 4 maximum'",
    "Unexpected `your input exceeds the context window` in y",
    '{"error":{"message":"Bad tool call","type":"invalid_request_error"},"messages":[{"message":"prompt is too long"}]}',
    '{"detail":[{"msg":"extra fields not permitted","input":"prompt is too long: 5 tokens > 4 maximum"}]}',
  ])("OVF8 are not classified by text that they quote or echo: %s", (text) => {
    expect(classOf({ status: 400, text })).toBe("other");
  });

  test.each([400, 422, undefined])(
    "OVF1 with a count above a limit are overflow despite other words, with status %s",
    (status) => {
      const text = "prompt is too long: 213462 tokens > 200000 maximum.";
      const given = status === undefined ? {} : { status };
      expect(classOf({ ...given, text: `${text} See your quota and billing page.` })).toBe("overflow");
      expect(classOf({ ...given, text: `${text} This is not a rate limit error.` })).toBe("overflow");
      expect(classOf({ ...given, text: `${text} To increase, add credits.` })).toBe("other");
      expect(classOf({ ...given, text, code: "rate_limit_exceeded" })).toBe("ratelimit");
    },
  );

  test("OVF1 with a status of payment or rate are not overflow because of a count", () => {
    const text = "prompt is too long: 213462 tokens > 200000 maximum. See your billing page.";
    expect(classOf({ status: 402, text })).toBe("other");
    expect(classOf({ status: 429, text })).toBe("ratelimit");
  });

  test("OVF11 with an unknown 4xx status are other", () => {
    for (const status of [400, 401, 403, 404, 409, 418, 422, 451])
      expect(classOf({ status, text: "No." })).toBe("other");
  });
});

describe("replies", () => {
  const window = 128_000;

  test("OVF13 to more input than the window are over-window, and kept", () => {
    expect(detectReplyOverflow({ stopReason: "stop", input: 130_000, output: 300, window })).toEqual({
      kind: "over-window",
      isReplyValid: true,
    });
    expect(
      detectReplyOverflow({ stopReason: "tool_calls", input: 9_000, cacheRead: 121_000, output: 300, window }),
    ).toEqual({
      kind: "over-window",
      isReplyValid: true,
    });
    expect(detectReplyOverflow({ stopReason: "stop", input: 128_000, output: 300, window })).toBeNull();
  });

  test.each(["length", "max_tokens", "MAX_TOKENS"])(
    "OVF13 with %s and no output in a full window are no-room",
    (stopReason) => {
      const reply = { stopReason, input: 261_900, output: 0, window: 262_144 };
      expect(detectReplyOverflow(reply)).toEqual({ kind: "no-room", isReplyValid: false });
      expect(detectReplyOverflow({ ...reply, input: 200_000 })).toBeNull();
    },
  );

  test("OVF13 cut off before their output limit are squeezed", () => {
    const reply = { stopReason: "length", input: 120_000, output: 212, window, maxOutput: 8_192 };
    expect(detectReplyOverflow(reply)).toEqual({ kind: "squeezed", isReplyValid: false });
    expect(detectReplyOverflow({ ...reply, output: 8_192 })).toBeNull();
    expect(detectReplyOverflow({ ...reply, stopReason: "stop" })).toBeNull();
  });

  test("OVF13 whose stop reason is the output limit are not overflow", () => {
    const reply = { input: 50_000, output: 4_000, window, maxOutput: 8_192 };
    for (const stopReason of ["max_output_tokens", "max_tokens", "MAX_TOKENS"]) {
      expect(detectReplyOverflow({ ...reply, stopReason })).toBeNull();
      expect(detectReplyOverflow({ ...reply, stopReason, output: 0 })).toBeNull();
    }
  });

  test.each(["model_context_window_exceeded", "MODEL_CONTEXT_WINDOW_EXCEEDED", "model_length", "modelLength"])(
    "OVF13 with the stop reason %s are overflow, and their output is kept",
    (stopReason) => {
      expect(detectReplyOverflow({ stopReason, window, output: 10 })).toEqual({ kind: "named", isReplyValid: true });
      expect(detectReplyOverflow({ stopReason, window })).toEqual({ kind: "named", isReplyValid: true });
      expect(detectReplyOverflow({ stopReason, window, output: 0 })).toEqual({ kind: "named", isReplyValid: false });
    },
  );

  test("OVF13 with much less input counted than sent are truncated, with the count as limit", () => {
    const reply: EndedReply = { stopReason: "stop", input: 4_096, output: 100, window, estimate: 60_000 };
    expect(detectReplyOverflow(reply)).toEqual({ kind: "truncated", isReplyValid: true, limit: 4_096 });
    expect(detectReplyOverflow({ ...reply, cacheRead: 32_000 })).toBeNull();
    expect(detectReplyOverflow({ ...reply, input: 100, estimate: 1_999 })).toBeNull();
    expect(detectReplyOverflow({ ...reply, stopReason: "length", maxOutput: 8_192 })).toEqual({
      kind: "truncated",
      isReplyValid: false,
      limit: 4_096,
    });
  });

  test("OVF14 with zero or missing usage are not overflow", () => {
    for (const stopReason of ["stop", "length", "max_tokens"]) {
      expect(detectReplyOverflow({ stopReason, window, maxOutput: 8_192, estimate: 60_000 })).toBeNull();
      expect(
        detectReplyOverflow({ stopReason, window, input: 0, output: 0, cacheRead: 0, estimate: 60_000 }),
      ).toBeNull();
      expect(detectReplyOverflow({ stopReason, window, input: Number.NaN, output: 0, estimate: 60_000 })).toBeNull();
    }
  });
});
