/** Asking again: what is worth it, how long it waits, and when it stops. */

import type { Model, ModelEvent, ModelFailure } from "@pith/context";
import { type ScriptedReply, scriptedModel } from "@pith/context/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openModel } from "../src/index.ts";
import { IdleTimeoutError } from "../src/read-stream.ts";
import { defaultRequestPolicy, type RetryRuntime, withRetries } from "../src/retry.ts";

test("RTY1 retries a busy model after its Retry-After plus jitter", async () => {
  const { model, slept } = scene([busy(2_000), busy(4_000), "here I am"]);
  const events = await all(model);
  expect(kinds(events)).toEqual(["reply-restarted", "reply-restarted", "text-delta", "reply-ended"]);
  expect(slept).toEqual([2_500, 4_500]);
});

test("RTY2 the waits without Retry-After grow with jitter, up to the longest wait", async () => {
  const { model, slept } = scene([down, down, down, down, down, down, "at last"]);
  expect(kinds(await all(model)).at(-1)).toBe("reply-ended");
  expect(slept).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500]);
});

test("RTY3 does not retry failures that a second request would not change", async () => {
  for (const kind of ["overflow", "payload", "quota", "refused", "aborted"] as const) {
    const { model, slept } = scene([{ failure: { kind, message: kind } }, "never said"]);
    expect(await all(model)).toEqual([{ type: "reply-failed", failure: { kind, message: kind } }]);
    expect(slept).toEqual([]);
  }
});

test("RTY4 fails at once if the wait exceeds the budget, and reports the wait", async () => {
  const { model, slept } = scene([busy(3_600_000), "never said"]);
  expect(await all(model)).toEqual([{ type: "reply-failed", failure: busy(3_600_000).failure }]);
  expect(slept).toEqual([]);
});

test("RTY5 an abort during the wait ends the reply at once without a retry", async () => {
  const abort = new AbortController();
  const { model } = scene([busy(1_000), "never said"], async () => abort.abort());
  const events = await all(model, abort.signal);
  expect(events.at(-1)).toEqual({
    type: "reply-failed",
    failure: { kind: "aborted", message: "aborted while waiting to retry" },
  });
});

test("RTY6 any failures end with one event within the wait budget and the number of retries", async () => {
  const failures = fc.array(
    fc.record({
      kind: fc.constantFrom("busy", "unreachable"),
      retryAfterMs: fc.option(fc.nat(100_000), { nil: undefined }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(failures, fc.double({ min: 0, max: 0.999, noNaN: true }), async (list, chance) => {
      const replies = list.map(({ kind, retryAfterMs }) => ({
        failure: { kind: kind as "busy", message: "", ...(retryAfterMs !== undefined && { retryAfterMs }) },
      }));
      const { model, slept } = scene([...replies, "done"], undefined, chance);
      const events = await all(model);
      expect(kinds(events).filter((kind) => kind === "reply-ended" || kind === "reply-failed")).toHaveLength(1);
      expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(defaultRequestPolicy.maxTotalWaitMs);
      expect(slept.length).toBeLessThanOrEqual(defaultRequestPolicy.retries);
    }),
  );
});

test("RTY6 ignores an invalid Retry-After", async () => {
  for (const odd of [Number.NaN, -5_000]) {
    const { model, slept } = scene([busy(odd), "here I am"]);
    expect(kinds(await all(model)).at(-1)).toBe("reply-ended");
    expect(slept).toEqual([750]);
  }
});

test("RTY5 accepts a sleep that rejects on abort", async () => {
  const abort = new AbortController();
  const { model } = scene([busy(1_000), "never said"], async () => {
    abort.abort();
    throw new Error("aborted");
  });
  expect((await all(model, abort.signal)).at(-1)).toMatchObject({ type: "reply-failed", failure: { kind: "aborted" } });
});

test("RTY7 retries a refused connection twice", async () => {
  const unreachable = { failure: { kind: "unreachable", message: "no", reason: "connection-refused" } } as const;
  const { model, slept } = scene([unreachable, unreachable, unreachable, "never said"]);
  expect((await all(model)).at(-1)).toEqual({ type: "reply-failed", failure: unreachable.failure });
  expect(slept).toEqual([750, 1_500]);
});

test("RTY9 does not retry a failed handshake", async () => {
  const untrusted = { failure: { kind: "unreachable", message: "no", reason: "tls" } } as const;
  const { model, slept } = scene([untrusted, "never said"]);
  expect((await all(model)).at(-1)).toEqual({ type: "reply-failed", failure: untrusted.failure });
  expect(slept).toEqual([]);
});

test("RTY7 recognises the connection error of a provider package", async () => {
  const modelOptions = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    apiKey: "any",
    baseUrl: "http://127.0.0.1:9/v1",
  };
  const opened = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 0 } });
  if (opened.type !== "opened") throw new Error(opened.message);
  const failed = (await all(opened.model)).at(-1);
  expect(failed).toMatchObject({
    failure: { kind: "unreachable", reason: "connection-refused", cause: { code: "ECONNREFUSED" } },
  });
});

test("RTY8 retries an idle timeout once", async () => {
  const silent = {
    failure: { kind: "unreachable", message: "no", cause: new IdleTimeoutError("said nothing") },
  } as const;
  const { model, slept } = scene([silent, silent, "never said"]);
  expect((await all(model)).at(-1)).toEqual({ type: "reply-failed", failure: silent.failure });
  expect(slept).toEqual([750]);
});

const down = { failure: { kind: "unreachable", message: "502" } } as const;

function busy(retryAfterMs: number): { readonly failure: ModelFailure } {
  return { failure: { kind: "busy", message: "429", retryAfterMs } };
}

function scene(replies: readonly ScriptedReply[], sleep: RetryRuntime["sleep"] = async () => {}, chance = 0.5) {
  const slept: number[] = [];
  const ports: RetryRuntime = {
    sleep: (ms, act) => {
      slept.push(ms);
      return sleep(ms, act);
    },
    random: () => chance,
  };
  return { model: withRetries(scriptedModel(...replies), ports), slept };
}

async function all(model: Model, signal?: AbortSignal): Promise<readonly ModelEvent[]> {
  const request = { system: [], tools: [], messages: [], thinking: "off", toolChoice: "auto", cacheMarks: [] } as const;
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal ? { signal } : {})) events.push(event);
  return events;
}

function kinds(events: readonly ModelEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}
