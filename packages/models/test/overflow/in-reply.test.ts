/** Overflow that no error tells of. */

import { expect, test } from "vitest";
import { type EndedReply, overflowInReply } from "../../src/overflow/index.ts";

const window = 128_000;

test("OVF13 a reply to more than the window is kept, and the context compacted", () => {
  expect(overflowInReply({ stopReason: "stop", input: 130_000, output: 300, window })).toEqual({
    kind: "over-window",
    keep: true,
  });
  expect(overflowInReply({ stopReason: "tool_calls", input: 9_000, cacheRead: 121_000, output: 300, window })).toEqual({
    kind: "over-window",
    keep: true,
  });
  expect(overflowInReply({ stopReason: "stop", input: 128_000, output: 300, window })).toBeNull();
});

test.each(["length", "max_tokens", "MAX_TOKENS"])(
  "OVF13 %s without a word said in a full window: compact and ask again",
  (stopReason) => {
    const reply = { stopReason, input: 261_900, output: 0, window: 262_144 };
    expect(overflowInReply(reply)).toEqual({ kind: "no-room", keep: false });
    expect(overflowInReply({ ...reply, input: 200_000 })).toBeNull();
  },
);

test("OVF13 cut off before the output that was asked for: squeezed", () => {
  const reply = { stopReason: "length", input: 120_000, output: 212, window, maxOutput: 8_192 };
  expect(overflowInReply(reply)).toEqual({ kind: "squeezed", keep: false });
  expect(overflowInReply({ ...reply, output: 8_192 })).toBeNull();
  expect(overflowInReply({ ...reply, stopReason: "stop" })).toBeNull();
});

test("OVF13 the output limit by its own name is not an overflow", () => {
  const reply = { input: 50_000, output: 4_000, window, maxOutput: 8_192 };
  for (const stopReason of ["max_output_tokens", "max_tokens", "MAX_TOKENS"]) {
    expect(overflowInReply({ ...reply, stopReason })).toBeNull();
    expect(overflowInReply({ ...reply, stopReason, output: 0 })).toBeNull();
  }
});

test.each(["model_context_window_exceeded", "MODEL_CONTEXT_WINDOW_EXCEEDED", "model_length", "modelLength"])(
  "OVF13 the stop reason %s says so itself; what was said is kept",
  (stopReason) => {
    expect(overflowInReply({ stopReason, window, output: 10 })).toEqual({ kind: "named", keep: true });
    expect(overflowInReply({ stopReason, window })).toEqual({ kind: "named", keep: true });
    expect(overflowInReply({ stopReason, window, output: 0 })).toEqual({ kind: "named", keep: false });
  },
);

test("OVF13 much less read than sent: the start was cut off silently, and what was read is the limit", () => {
  const reply: EndedReply = { stopReason: "stop", input: 4_096, output: 100, window, estimate: 60_000 };
  expect(overflowInReply(reply)).toEqual({ kind: "truncated", keep: true, limit: 4_096 });
  expect(overflowInReply({ ...reply, cacheRead: 32_000 })).toBeNull();
  expect(overflowInReply({ ...reply, input: 100, estimate: 1_999 })).toBeNull();
  expect(overflowInReply({ ...reply, stopReason: "length", maxOutput: 8_192 })).toEqual({
    kind: "truncated",
    keep: false,
    limit: 4_096,
  });
});

test("OVF14 usage that is zero or missing says nothing", () => {
  for (const stopReason of ["stop", "length", "max_tokens"]) {
    expect(overflowInReply({ stopReason, window, maxOutput: 8_192, estimate: 60_000 })).toBeNull();
    expect(overflowInReply({ stopReason, window, input: 0, output: 0, cacheRead: 0, estimate: 60_000 })).toBeNull();
    expect(overflowInReply({ stopReason, window, input: Number.NaN, output: 0, estimate: 60_000 })).toBeNull();
  }
});
