/** Proves that one question to a model gives a value, whatever the model does, and that nothing of it is left behind. */

import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AssistantMessage } from "../../src/message.ts";
import type { Model, ModelEvent, ModelFailure, Request } from "../../src/model.ts";
import type { Runtime } from "../../src/runtime.ts";
import { type AskModelResult, askModel, type SummaryProgress } from "../../src/summary/ask-model.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { storyteller } from "../told.ts";
import { delta, ended, modelOf, paid, said, usualTime } from "./manners.ts";

const request: Request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: "tell it", timestamp: 0 }],
  thinking: "off",
  toolChoice: "none",
  cacheMarks: [],
};
const NO_TOKEN =
  "no token came within 10 min; a local model may need longer to read a long prompt: raise firstTokenMinutes in the settings, or summaryTime.firstToken of the limits in the library";
const call = { by: storyteller, usage: paid };
const record: AskModelResult = { type: "answered", text: "the record", message: said(), call };

function asked(
  model: Model,
  signal?: AbortSignal,
  ports: Pick<Runtime, "sleep"> = testRuntime(),
): Promise<AskModelResult> {
  return askModel(request, { model, runtime: ports, signal, time: usualTime });
}

function failed(code: string, note: string, parts: object = {}): unknown {
  return { type: "failed", failure: { code, note }, ...parts };
}

describe("what it says", () => {
  const text = (...texts: readonly string[]): AssistantMessage["content"] =>
    texts.map((text) => ({ type: "text", text }));
  const thought = { type: "thinking" as const, thinking: "hm", thinkingSignature: "signed" };
  const toolCall = { type: "toolCall" as const, id: "c1", name: "read", arguments: {} };

  test.each<[string, Partial<AssistantMessage>, unknown]>([
    ["nothing", { content: [] }, failed("empty", "its answer is empty", { call })],
    ["a blank", { content: text(" \n\t") }, failed("empty", "its answer is empty", { call })],
    ["only thoughts", { content: [thought] }, failed("empty", "its answer is empty", { call })],
    ["half of it", { stopReason: "length" }, failed("truncated", "its answer was cut off", { call })],
    [
      "a tool's name",
      { content: [...text("first"), toolCall] },
      failed("tool-call", "it called a tool instead of answering", { call }),
    ],
    [
      "that it calls a tool",
      { stopReason: "toolUse" },
      failed("tool-call", "it called a tool instead of answering", { call }),
    ],
    ["an error", { stopReason: "error", errorMessage: "no more" }, failed("failed", "no more", { call })],
    ["an error without a word", { stopReason: "error" }, failed("failed", "it failed", { call })],
    ["that it answers later", { stopReason: "deferred" }, failed("empty", "its answer is deferred", { call })],
    ["that it was stopped", { stopReason: "aborted" }, { type: "cancelled", call }],
  ])("SUM4 %s: no answer, and what it cost is known", async (_, parts, reply) => {
    expect(await asked(scriptedModel(said(parts)))).toStrictEqual(reply);
  });

  test("SUM4 thoughts and texts: the texts", async () => {
    const message = said({ content: [thought, ...text("one\n", "two")] });
    expect(await asked(scriptedModel(message))).toStrictEqual({ type: "answered", text: "one\ntwo", message, call });
  });
});

describe("how it fails", () => {
  test.each<[ModelFailure["kind"]]>([["refused"], ["overflow"], ["payload"], ["busy"]])(
    "SUM4 %s: it is asked once",
    async (kind) => {
      const model = scriptedModel({ failure: { kind, message: "for a reason" } }, said());
      expect(await asked(model)).toStrictEqual(failed(kind, "for a reason"));
      expect(model.requests).toStrictEqual([request]);
    },
  );

  test("SUM13 unreachable: it is asked once more", async () => {
    const failure = { kind: "unreachable", message: "for a reason" } as const;
    const [down, model] = [scriptedModel({ failure }, { failure }), scriptedModel({ failure }, said())];
    expect([await asked(down), await asked(model)]).toStrictEqual([failed("unreachable", "for a reason"), record]);
    expect([down.requests, model.requests]).toStrictEqual([
      [request, request],
      [request, request],
    ]);
  });

  test("SUM4 aborted: it is cancelled", async () => {
    const model = scriptedModel({ failure: { kind: "aborted", message: "by somebody" } });
    expect(await asked(model)).toStrictEqual({ type: "cancelled" });
  });

  test("SUM4 with a page of reasons: its beginning is enough", async () => {
    const model = scriptedModel({ failure: { kind: "refused", message: "<html>".repeat(2_000) } });
    expect(await asked(model)).toMatchObject({ failure: { note: expect.stringMatching(/^(<html>)+.{0,6}…$/) } });
  });

  const busy = (retryAfterMs: number) => ({ failure: { kind: "busy" as const, message: "429", retryAfterMs } });

  test.each([0, 200, 10_000])("SUM4 busy for %i ms: it is asked once more, and not before", async (wait) => {
    const slept: number[] = [];
    const model = scriptedModel(busy(wait), said());
    const sleep: Runtime["sleep"] = async (ms, act) => {
      slept.push(ms);
      await testRuntime().sleep(ms, act);
    };
    expect(await asked(model, undefined, { sleep })).toStrictEqual(record);
    expect({ requests: model.requests, slept }).toStrictEqual({
      requests: [request, request],
      slept: expect.arrayContaining([wait]),
    });
  });

  test("SUM4 busy twice: that is enough", async () => {
    const model = scriptedModel(busy(5), busy(5), said());
    expect(await asked(model)).toStrictEqual(failed("busy", "429"));
    expect(model.requests).toHaveLength(2);
  });

  test("SUM4 busy for longer than we wait: it is not asked again", async () => {
    const model = scriptedModel(busy(10_001), said());
    expect(await asked(model)).toStrictEqual(failed("busy", "429"));
    expect(model.requests).toHaveLength(1);
  });

  test("SUM4 busy, and nobody wants it any more: the wait ends at once", async () => {
    const stop = new AbortController();
    const model = scriptedModel(busy(9_000), said());
    const sleep: Runtime["sleep"] = (ms, act) => {
      if (ms === 9_000) stop.abort();
      return testRuntime().sleep(ms, act);
    };
    expect(await asked(model, stop.signal, { sleep })).toStrictEqual({ type: "cancelled" });
    expect(model.requests).toHaveLength(1);
  });
});

describe("how its stream ends", () => {
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
    ["it throws at once", thrown, failed("unreachable", "line cut")],
    ["it is none", () => null as never, failed("unreachable", expect.any(String) as never)],
    [
      "it throws in the middle",
      async function* () {
        yield delta;
        thrown();
      },
      failed("unreachable", "line cut"),
    ],
    [
      "it just stops",
      async function* () {
        yield delta;
      },
      failed("unreachable", "the reply broke off"),
    ],
    ["it never begins", iterated({ next: () => new Promise(() => {}) }), failed("silent", NO_TOKEN)],
    ["it falls silent", after(91_000, ended()), failed("silent", "no further token came for 90 s")],
    ["it takes its time", after(89_000, ended()), record],
    [
      "it says what is no event",
      iterated({ next: async () => ({ value: null }) }),
      failed("unreachable", expect.any(String) as never),
    ],
    [
      "it says nothing at all",
      iterated({ next: async () => undefined }),
      failed("unreachable", expect.any(String) as never),
    ],
    [
      "it ends without a message",
      iterated({ next: async () => ({ value: { type: "reply-ended" } }) }),
      failed("unreachable", expect.any(String) as never),
    ],
    ["it does not want to be closed", iterated({ next: async () => ({ value: ended() }), return: thrown }), record],
    ["it closes without a promise", iterated({ next: async () => ({ value: ended() }), return: () => 7 }), record],
    [
      "it fails to be closed",
      iterated({ next: async () => ({ value: ended() }), return: () => Promise.reject(new Error("stuck")) }),
      record,
    ],
  ])("SUM4 %s", async (_, stream, reply) => {
    expect(await asked(modelOf(stream))).toStrictEqual(reply);
  });

  test.each<[string, Model["stream"]]>([
    ["silent", after(91_000)],
    ["done", after(0, ended())],
    ["broken off", after(0)],
  ])("SUM4 one that is %s is told that nobody listens any more", async (_, stream) => {
    let heard: AbortSignal | undefined;
    const model = modelOf((question, act) => {
      heard = act.signal;
      return stream(question, act);
    });
    await asked(model);
    expect(heard?.aborted).toBe(true);
  });
});

describe("when it is aborted", () => {
  test("SUM4 before: the model is not asked", async () => {
    const model = scriptedModel(said());
    expect(await asked(model, AbortSignal.abort())).toStrictEqual({ type: "cancelled" });
    expect(model.requests).toStrictEqual([]);
  });

  test.each<[string, (stop: AbortController) => Model["stream"]]>([
    [
      "as it is asked",
      (stop) => () => {
        stop.abort();
        return modelOf(async function* () {
          yield ended();
        }).stream(request, {});
      },
    ],
    [
      "before its first token, and it hangs",
      (stop) =>
        async function* () {
          stop.abort();
          await new Promise(() => {});
          yield delta;
        },
    ],
    [
      "in the middle, and it does not care",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          yield delta;
          yield ended();
        },
    ],
    [
      "as it ends",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          yield ended();
        },
    ],
    [
      "as it fails",
      (stop) =>
        async function* () {
          yield delta;
          stop.abort();
          throw new Error("line cut");
        },
    ],
  ])("SUM4 %s: it is cancelled, and the model hears of it", async (_, stream) => {
    const stop = new AbortController();
    const heard: (AbortSignal | undefined)[] = [];
    const model = modelOf((question, act) => {
      heard.push(act.signal);
      return stream(stop)(question, act);
    });
    expect((await asked(model, stop.signal)).type).toBe("cancelled");
    expect(heard.map((signal) => signal?.aborted)).toStrictEqual([true]);
  });

  test("SUM4 at whichever moment, it was either too early or too late", async () => {
    const replies: AskModelResult[] = [];
    for (let moment = 0; moment < 60; moment++) {
      const stop = new AbortController();
      void testRuntime()
        .sleep(moment, {})
        .then(() => stop.abort());
      replies.push(await asked(scriptedModel(said()), stop.signal));
    }
    const last = replies.findLastIndex(({ type }) => type === "cancelled");
    const kinds = replies.map((reply) => (reply.type === "answered" ? reply : reply.type));
    expect(kinds).toStrictEqual(replies.map((_, at) => (at <= last ? "cancelled" : record)));
    expect([replies.at(0)?.type, replies.at(-1)?.type]).toStrictEqual(["cancelled", "answered"]);
  });
});

test("SUM4 a thousand questions leave no listener and no timer behind, whatever came of them", async () => {
  const stop = new AbortController();
  let open = 0;
  const sleep: Runtime["sleep"] = async (ms, act) => {
    open++;
    await testRuntime().sleep(Math.min(ms, 200), act);
    open--;
  };
  const models = [
    () => scriptedModel(said()),
    () => scriptedModel({ failure: { kind: "busy", message: "429", retryAfterMs: 5 } }, said()),
    () => modelOf(async function* () {}),
    () => modelOf(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) })),
  ];
  for (let round = 0; round < 250; round++) for (const model of models) await asked(model(), stop.signal, { sleep });
  await setImmediate();
  expect({ open, listeners: getEventListeners(stop.signal, "abort").length }).toStrictEqual({ open: 0, listeners: 0 });
});

describe("what is paid for though nothing came of it", () => {
  const failure = { kind: "unreachable", message: "line cut" } as const;
  const half = said({ stopReason: "error" });

  test("EVT5 a reply that fails, or is stopped, says what it has cost where the provider did", async () => {
    const failing = modelOf(async function* () {
      yield { type: "reply-failed", failure, message: half };
    });
    expect(await asked(failing)).toStrictEqual(failed("unreachable", "line cut", { call }));
    const stop = new AbortController();
    const stopped = modelOf(async function* () {
      stop.abort();
      yield { type: "reply-failed", failure: { kind: "aborted", message: "stopped" }, message: half };
    });
    expect(await asked(stopped, stop.signal)).toStrictEqual({ type: "cancelled", call });
  });

  test("EVT5 EVT3 tries that were made again are counted, and told while somebody waits", async () => {
    const spent: unknown[] = [];
    const steps: SummaryProgress[] = [];
    let tries = 0;
    const model = modelOf(async function* () {
      if (tries++ === 0) {
        yield { type: "reply-failed", failure: { kind: "busy", message: "busy", retryAfterMs: 5 }, message: half };
        return;
      }
      yield { type: "reply-restarted", failure, waitMs: 7, usage: paid };
      yield { type: "text-delta", text: "word ".repeat(200) };
      yield ended();
    });
    const hearing = {
      onFailedAttemptUsage: (usage: unknown) => spent.push(usage),
      progress: (step: SummaryProgress) => steps.push(step),
    };
    expect(await askModel(request, { model, runtime: testRuntime(), time: usualTime, ...hearing })).toStrictEqual(
      record,
    );
    expect(spent).toStrictEqual([paid, paid]);
    expect(steps).toStrictEqual([
      { step: "waiting", attempt: 1, delayMs: 5, errorMessage: "busy" },
      { step: "asking-again", attempt: 1 },
      { step: "waiting", attempt: 2, delayMs: 7, errorMessage: "line cut" },
      { step: "asking-again", attempt: 2 },
      { step: "writing", tokens: 250 },
      { step: "answered", attempts: 2 },
    ]);
  });

  test("EVT3 however long it writes, a word of progress comes once in a few hundred tokens", async () => {
    const steps: SummaryProgress[] = [];
    const model = modelOf(async function* () {
      for (let at = 0; at < 10_000; at++) yield delta;
      yield ended();
    });
    await askModel(request, { model, runtime: testRuntime(), time: usualTime, progress: (step) => steps.push(step) });
    expect(steps).toHaveLength(12);
    expect(steps.at(-1)).toStrictEqual({ step: "writing", tokens: 2_400 });
  });
});
