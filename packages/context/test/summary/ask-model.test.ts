/** Tests that a request to a model always returns a result, whatever the model does, and leaves no timer or listener. */

import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AssistantMessage } from "../../src/message.ts";
import type { Model, ModelEvent, ModelFailure, Request } from "../../src/model.ts";
import type { Runtime } from "../../src/runtime.ts";
import { type AskModelResult, askModel, type SummaryProgress } from "../../src/summary/ask-model.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { storyModel } from "../support/story-context.ts";
import {
  assistantMessage,
  billedUsage,
  createModel,
  defaultTime,
  delta,
  replyEnded,
} from "../support/summary-models.ts";

const request: Request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: "tell it", timestamp: 0 }],
  thinking: "off",
  toolChoice: "none",
  cacheMarks: [],
};
const NO_TOKEN =
  "no token arrived within 10 min; a local model may need longer to read a long prompt: raise firstTokenMinutes in the settings, or summaryTime.firstToken in the library's limits";
const call = { by: storyModel, usage: billedUsage };
const record: AskModelResult = { type: "answered", text: "the record", message: assistantMessage(), call };

function ask(
  model: Model,
  signal?: AbortSignal,
  runtime: Pick<Runtime, "sleep"> = testRuntime(),
): Promise<AskModelResult> {
  return askModel(request, { model, runtime, signal, time: defaultTime });
}

function failed(code: string, note: string, parts: object = {}): unknown {
  return { type: "failed", failure: { code, note }, ...parts };
}

describe("unusable answers", () => {
  const text = (...texts: readonly string[]): AssistantMessage["content"] =>
    texts.map((text) => ({ type: "text", text }));
  const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "signed" };
  const toolCall = { type: "toolCall" as const, id: "c1", name: "read", arguments: {} };

  test.each<[string, Partial<AssistantMessage>, unknown]>([
    ["no content", { content: [] }, failed("empty", "the reply is empty", { call })],
    ["only whitespace", { content: text(" \n\t") }, failed("empty", "the reply is empty", { call })],
    ["only thinking", { content: [thought] }, failed("empty", "the reply is empty", { call })],
    ["a truncated answer", { stopReason: "length" }, failed("truncated", "the reply was cut off", { call })],
    [
      "a tool's name",
      { content: [...text("first"), toolCall] },
      failed("tool-call", "the model called a tool instead of writing the summary", { call }),
    ],
    [
      "that it calls a tool",
      { stopReason: "toolUse" },
      failed("tool-call", "the model called a tool instead of writing the summary", { call }),
    ],
    ["an error", { stopReason: "error", errorMessage: "no more" }, failed("failed", "no more", { call })],
    ["an error without a message", { stopReason: "error" }, failed("failed", "the request failed", { call })],
    ["a deferred answer", { stopReason: "deferred" }, failed("empty", "the reply is deferred", { call })],
    ["an aborted answer", { stopReason: "aborted" }, { type: "cancelled", call }],
  ])("SUM4 %s is a failure, and its usage is recorded", async (_, parts, reply) => {
    const message = assistantMessage(parts);
    const { message: returned, ...result } = { message: undefined, ...(await ask(scriptedModel(message))) };
    expect(result).toStrictEqual(reply);
    // PFX3: the model may be asked again only after a reply that ended.
    const hasEnded = !["error", "deferred", "aborted"].includes(message.stopReason);
    expect(returned).toStrictEqual(hasEnded ? message : undefined);
  });

  test("SUM4 joins the texts and leaves out the thinking", async () => {
    const message = assistantMessage({ content: [thought, ...text("one\n", "two")] });
    expect(await ask(scriptedModel(message))).toStrictEqual({ type: "answered", text: "one\ntwo", message, call });
  });
});

describe("failed replies", () => {
  test.each<[ModelFailure["kind"]]>([["refused"], ["overflow"], ["payload"], ["busy"]])(
    "SUM4 %s is not retried",
    async (kind) => {
      const model = scriptedModel({ failure: { kind, message: "for a reason" } }, assistantMessage());
      expect(await ask(model)).toStrictEqual(failed(kind, "for a reason"));
      expect(model.requests).toStrictEqual([request]);
    },
  );

  test("SUM13 unreachable is retried once", async () => {
    const failure = { kind: "unreachable", message: "for a reason" } as const;
    const [down, model] = [scriptedModel({ failure }, { failure }), scriptedModel({ failure }, assistantMessage())];
    expect([await ask(down), await ask(model)]).toStrictEqual([failed("unreachable", "for a reason"), record]);
    expect([down.requests, model.requests]).toStrictEqual([
      [request, request],
      [request, request],
    ]);
  });

  test("SUM4 aborted is a cancellation", async () => {
    const model = scriptedModel({ failure: { kind: "aborted", message: "by somebody" } });
    expect(await ask(model)).toStrictEqual({ type: "cancelled" });
  });

  test("SUM4 a long error message is truncated", async () => {
    const model = scriptedModel({ failure: { kind: "refused", message: "<html>".repeat(2_000) } });
    expect(await ask(model)).toMatchObject({ failure: { note: expect.stringMatching(/^(<html>)+.{0,6}…$/) } });
  });

  const busy = (retryAfterMs: number) => ({ failure: { kind: "busy" as const, message: "429", retryAfterMs } });

  test.each([0, 200, 10_000])("SUM4 busy for %i ms is retried once, after that time", async (wait) => {
    const slept: number[] = [];
    const model = scriptedModel(busy(wait), assistantMessage());
    const sleep: Runtime["sleep"] = async (ms, act) => {
      slept.push(ms);
      await testRuntime().sleep(ms, act);
    };
    expect(await ask(model, undefined, { sleep })).toStrictEqual(record);
    expect({ requests: model.requests, slept }).toStrictEqual({
      requests: [request, request],
      slept: expect.arrayContaining([wait]),
    });
  });

  test("SUM4 busy twice is not retried again", async () => {
    const model = scriptedModel(busy(5), busy(5), assistantMessage());
    expect(await ask(model)).toStrictEqual(failed("busy", "429"));
    expect(model.requests).toHaveLength(2);
  });

  test("SUM4 busy for longer than the limit is not retried", async () => {
    const model = scriptedModel(busy(10_001), assistantMessage());
    expect(await ask(model)).toStrictEqual(failed("busy", "429"));
    expect(model.requests).toHaveLength(1);
  });

  test("SUM4 an abort ends the wait of a busy provider at once", async () => {
    const stop = new AbortController();
    const model = scriptedModel(busy(9_000), assistantMessage());
    const sleep: Runtime["sleep"] = (ms, act) => {
      if (ms === 9_000) stop.abort();
      return testRuntime().sleep(ms, act);
    };
    expect(await ask(model, stop.signal, { sleep })).toStrictEqual({ type: "cancelled" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("streams", () => {
  const { sleep } = testRuntime();
  const after = (ms: number, ...rest: readonly ModelEvent[]) =>
    async function* (): AsyncGenerator<ModelEvent> {
      yield delta;
      await sleep(ms, {});
      yield* rest;
    };
  const iterated =
    (iterator: object): Model["stream"] =>
    () =>
      ({ [Symbol.asyncIterator]: () => iterator }) as never;
  const thrown = (): never => {
    throw new Error("line cut");
  };

  test.each<[string, Model["stream"], unknown]>([
    ["throws at once", thrown, failed("unreachable", "line cut")],
    ["is not a stream", () => null as never, failed("unreachable", expect.any(String) as never)],
    [
      "throws in the middle",
      async function* () {
        yield delta;
        thrown();
      },
      failed("unreachable", "line cut"),
    ],
    [
      "ends without a final event",
      async function* () {
        yield delta;
      },
      failed("unreachable", "the reply ended unexpectedly"),
    ],
    ["never begins", iterated({ next: () => new Promise(() => {}) }), failed("silent", NO_TOKEN)],
    ["stalls", after(91_000, replyEnded()), failed("silent", "no further token arrived for 90 s")],
    ["is slow but within the limit", after(89_000, replyEnded()), record],
    [
      "yields a value that is not an event",
      iterated({ next: async () => ({ value: null }) }),
      failed("unreachable", expect.any(String) as never),
    ],
    [
      "returns no iterator result",
      iterated({ next: async () => undefined }),
      failed("unreachable", expect.any(String) as never),
    ],
    [
      "ends without a message",
      iterated({ next: async () => ({ value: { type: "reply-ended" } }) }),
      failed("unreachable", expect.any(String) as never),
    ],
    ["throws when it is closed", iterated({ next: async () => ({ value: replyEnded() }), return: thrown }), record],
    ["closes without a promise", iterated({ next: async () => ({ value: replyEnded() }), return: () => 7 }), record],
    [
      "rejects when it is closed",
      iterated({ next: async () => ({ value: replyEnded() }), return: () => Promise.reject(new Error("stuck")) }),
      record,
    ],
  ])("SUM4 a stream that %s", async (_, stream, reply) => {
    expect(await ask(createModel(stream))).toStrictEqual(reply);
  });

  test.each<[string, Model["stream"]]>([
    ["silent", after(91_000)],
    ["done", after(0, replyEnded())],
    ["broken off", after(0)],
  ])("SUM4 a stream that is %s gets its signal aborted", async (_, stream) => {
    let modelSignal: AbortSignal | undefined;
    const model = createModel((question, act) => {
      modelSignal = act.signal;
      return stream(question, act);
    });
    await ask(model);
    expect(modelSignal?.aborted).toBe(true);
  });
});

describe("aborts", () => {
  test("SUM4 an abort before the request sends nothing", async () => {
    const model = scriptedModel(assistantMessage());
    expect(await ask(model, AbortSignal.abort())).toStrictEqual({ type: "cancelled" });
    expect(model.requests).toStrictEqual([]);
  });

  test.each<[string, (stop: AbortController) => Model["stream"]]>([
    [
      "when the request is sent",
      (stop) => () => {
        stop.abort();
        return createModel(async function* () {
          yield replyEnded();
        }).stream(request, {});
      },
    ],
    [
      "before the first token of a model that hangs",
      (stop) =>
        async function* () {
          stop.abort();
          await new Promise(() => {});
          yield delta;
        },
    ],
    [
      "in the middle of a reply that ignores the abort",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          yield delta;
          yield replyEnded();
        },
    ],
    [
      "at the end of the reply",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          yield replyEnded();
        },
    ],
    [
      "when the reply fails",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          throw new Error("line cut");
        },
    ],
  ])("SUM4 an abort %s gives a cancellation and aborts the model's signal", async (_, stream) => {
    const stop = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const model = createModel((question, act) => {
      signals.push(act.signal);
      return stream(stop)(question, act);
    });
    expect((await ask(model, stop.signal)).type).toBe("cancelled");
    expect(signals.map((signal) => signal?.aborted)).toStrictEqual([true]);
  });

  test("SUM4 an abort at any moment gives either a cancellation or the answer", async () => {
    const replies: AskModelResult[] = [];
    for (let moment = 0; moment < 60; moment++) {
      const stop = new AbortController();
      void testRuntime()
        .sleep(moment, {})
        .then(() => stop.abort());
      replies.push(await ask(scriptedModel(assistantMessage()), stop.signal));
    }
    const last = replies.findLastIndex(({ type }) => type === "cancelled");
    const kinds = replies.map((reply) => (reply.type === "answered" ? reply : reply.type));
    expect(kinds).toStrictEqual(replies.map((_, at) => (at <= last ? "cancelled" : record)));
    expect([replies.at(0)?.type, replies.at(-1)?.type]).toStrictEqual(["cancelled", "answered"]);
  });
});

test("SUM4 a thousand requests leave no listener and no timer, whatever their outcome", async () => {
  const stop = new AbortController();
  let open = 0;
  const sleep: Runtime["sleep"] = async (ms, act) => {
    open++;
    await testRuntime().sleep(Math.min(ms, 200), act);
    open--;
  };
  const models = [
    () => scriptedModel(assistantMessage()),
    () => scriptedModel({ failure: { kind: "busy", message: "429", retryAfterMs: 5 } }, assistantMessage()),
    () => createModel(async function* () {}),
    () => createModel(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) })),
  ];
  for (let round = 0; round < 250; round++) for (const model of models) await ask(model(), stop.signal, { sleep });
  await setImmediate();
  expect({ open, listeners: getEventListeners(stop.signal, "abort").length }).toStrictEqual({ open: 0, listeners: 0 });
});

describe("usage of failed attempts", () => {
  const failure = { kind: "unreachable", message: "line cut" } as const;
  const half = assistantMessage({ stopReason: "error" });

  test("EVT5 a failed or aborted reply has its usage if the provider reported it", async () => {
    const failing = createModel(async function* () {
      yield { type: "reply-failed", failure, message: half };
    });
    expect(await ask(failing)).toStrictEqual(failed("unreachable", "line cut", { call }));
    const stop = new AbortController();
    const stopped = createModel(async function* () {
      stop.abort();
      yield { type: "reply-failed", failure: { kind: "aborted", message: "stopped" }, message: half };
    });
    expect(await ask(stopped, stop.signal)).toStrictEqual({ type: "cancelled", call });
  });

  test("EVT5 EVT3 retries are counted and reported as progress", async () => {
    const spent: unknown[] = [];
    const steps: SummaryProgress[] = [];
    let tries = 0;
    const model = createModel(async function* () {
      if (tries++ === 0) {
        yield { type: "reply-failed", failure: { kind: "busy", message: "busy", retryAfterMs: 5 }, message: half };
        return;
      }
      yield { type: "reply-restarted", failure, waitMs: 7, usage: billedUsage };
      yield { type: "text-delta", text: "word ".repeat(200) };
      yield replyEnded();
    });
    const listeners = {
      onFailedAttemptUsage: (usage: unknown) => spent.push(usage),
      progress: (step: SummaryProgress) => steps.push(step),
    };
    expect(await askModel(request, { model, runtime: testRuntime(), time: defaultTime, ...listeners })).toStrictEqual(
      record,
    );
    expect(spent).toStrictEqual([billedUsage, billedUsage]);
    expect(steps).toStrictEqual([
      { step: "waiting", attempt: 1, delayMs: 5, errorMessage: "busy" },
      { step: "asking-again", attempt: 1 },
      { step: "waiting", attempt: 2, delayMs: 7, errorMessage: "line cut" },
      { step: "asking-again", attempt: 2 },
      { step: "writing", tokens: 250 },
      { step: "answered", attempts: 2 },
    ]);
  });

  test("EVT3 progress is reported every few hundred tokens, however long the answer is", async () => {
    const steps: SummaryProgress[] = [];
    const model = createModel(async function* () {
      for (let at = 0; at < 10_000; at++) yield delta;
      yield replyEnded();
    });
    await askModel(request, { model, runtime: testRuntime(), time: defaultTime, progress: (step) => steps.push(step) });
    expect(steps).toHaveLength(12);
    expect(steps.at(-1)).toStrictEqual({ step: "writing", tokens: 2_400 });
  });
});
