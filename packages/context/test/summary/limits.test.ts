/** Tests the time limits of a summary with a simulated clock. */

import { describe, expect, test } from "vitest";
import { generateSummary } from "../../src/index.ts";
import type { UserMessage } from "../../src/message.ts";
import type { Model, ModelEvent, Request } from "../../src/model.ts";
import type { Runtime } from "../../src/runtime.ts";
import { createSummaryTimeouts } from "../../src/settings.ts";
import { type AskModelResult, askModel, type SummaryProgress } from "../../src/summary/ask-model.ts";
import { startTimeLimit, type TimeLimit } from "../../src/summary/limits.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { createEntries as entriesOf } from "../context/tool-work.ts";
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

// One turn of the microtask queue is a twentieth of a second.
const sleep: Runtime["sleep"] = (ms, act) => testRuntime().sleep(ms / 50, act);
const SECOND = 1_000;

interface AskRecord {
  readonly reply: AskModelResult;
  readonly requests: number;
  readonly spent: readonly unknown[];
  readonly steps: readonly SummaryProgress[];
}

async function ask(stream: Model["stream"], limit: Partial<TimeLimit> = {}, signal?: AbortSignal): Promise<AskRecord> {
  let requests = 0;
  const spent: unknown[] = [];
  const steps: SummaryProgress[] = [];
  const model = createModel((question, act) => {
    requests += 1;
    return stream(question, act);
  });
  const reply = await askModel(request, {
    model,
    runtime: { sleep },
    time: { ...defaultTime, ...limit },
    signal,
    onFailedAttemptUsage: (usage) => spent.push(usage),
    progress: (step) => steps.push(step),
  });
  return { reply, requests, spent, steps };
}

const code = ({ reply }: AskRecord): string => (reply.type === "failed" ? reply.failure.code : reply.type);

/** Yields the events after so many seconds, and then the end of the reply. */
const after = (seconds: number, ...events: readonly ModelEvent[]) =>
  async function* (): AsyncGenerator<ModelEvent> {
    await sleep(seconds * SECOND, {});
    yield* events;
    yield replyEnded();
  };

async function* trickle(): AsyncGenerator<ModelEvent> {
  for (;;) {
    await sleep(4 * SECOND, {});
    yield delta;
  }
}

async function* hang(): AsyncGenerator<ModelEvent> {
  await new Promise(() => {});
  yield replyEnded();
}

describe("SUM13 a model", () => {
  test.each<[string, Model["stream"], string, number]>([
    ["whose first token arrives within ten minutes answers", after(590, delta), "answered", 1],
    ["whose first token arrives later is retried once", after(610, delta), "silent", 2],
    ["that never answers is retried once", hang, "silent", 2],
    ["that is very slow is aborted after 15 minutes", trickle, "too-slow", 2],
    [
      "that sends only empty deltas has sent no token",
      async function* () {
        for (;;) {
          await sleep(4 * SECOND, {});
          yield { type: "text-delta", text: "" };
        }
      },
      "silent",
      2,
    ],
    [
      "that thinks and writes for less than 15 minutes answers",
      async function* () {
        for (let token = 0; token < 10; token++) {
          await sleep(85 * SECOND, {});
          yield { type: token < 5 ? "thinking-delta" : "text-delta", text: "word" };
        }
        yield replyEnded();
      },
      "answered",
      1,
    ],
  ])("%s", async (_, stream, outcome, requests) => {
    const record = await ask(stream);
    expect([code(record), record.requests]).toEqual([outcome, requests]);
  });

  test("that is too slow is not retried if another summarizer is available", async () => {
    const record = await ask(trickle, { mayRetrySlowAttempt: false });
    expect([code(record), record.requests]).toEqual(["too-slow", 1]);
  });

  test("that answers the second request succeeds", async () => {
    let requests = 0;
    const record = await ask(() => (requests++ === 0 ? hang() : after(1, delta)()));
    expect([code(record), record.requests]).toEqual(["answered", 2]);
  });

  test("that restarts its own request uses up the retry", async () => {
    const failure = { kind: "unreachable", message: "line cut" } as const;
    const record = await ask(async function* () {
      for (;;) yield { type: "reply-restarted", failure, waitMs: 5, usage: billedUsage };
    });
    expect(record.reply).toEqual({ type: "failed", failure: { code: "unreachable", note: "line cut" } });
    expect([record.requests, record.spent]).toEqual([1, [billedUsage, billedUsage]]);
  });

  test("that is aborted reports its usage, and so does the retry", async () => {
    const record = await ask(async function* (_, { signal }) {
      yield delta;
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      const failure = { kind: "aborted", message: "stopped" } as const;
      yield { type: "reply-failed", failure, message: assistantMessage({ stopReason: "aborted" }) };
    });
    expect(record.reply).toMatchObject({ type: "failed", failure: { code: "silent" }, call: { usage: billedUsage } });
    expect(record.spent).toEqual([billedUsage]);
  });
});

test("SUM13 all requests end with the total time, and none is sent after it", async () => {
  const limit = startTimeLimit(createSummaryTimeouts(), { sleep });
  const scenes: AskRecord[] = [];
  for (let at = 0; at < 4; at++) scenes.push(await ask(hang, limit));
  limit.stop();
  expect(scenes.map((record) => [code(record), record.requests])).toEqual([
    ["silent", 2],
    ["time-limit", 1],
    ["time-limit", 0],
    ["time-limit", 0],
  ]);
});

describe("SUM13 by default a summary in many chunks ends after thirty minutes", () => {
  const messages = Array.from({ length: 60 }, (_, at): UserMessage => {
    return { role: "user", content: `${at} ${"word ".repeat(240)}`, timestamp: 0 };
  });
  const ports: Pick<Runtime, "sleep" | "nonce"> = { sleep, nonce: testRuntime().nonce };

  function slowModel(): { readonly model: Model; readonly requests: () => number } {
    let requests = 0;
    const stream = (): AsyncGenerator<ModelEvent> => {
      requests += 1;
      return after(9 * 60, delta)();
    };
    return {
      model: createModel(stream, { contextWindow: 8_192, maxTokens: 2_000, runtime: ports }),
      requests: () => requests,
    };
  }

  test("of entries", async () => {
    const { model, requests } = slowModel();
    const entries = entriesOf(messages.map((message) => ({ type: "message", message })));
    const result = await generateSummary({ model, runtime: ports, entries, tokens: 1_000 });
    expect(result).toMatchObject({ type: "failed", failure: { code: "time-limit" } });
    expect(requests()).toBe(4);
  });

  test("of messages, in pi's call", async () => {
    const { model, requests } = slowModel();
    await expect(generateSummary(messages, model, 2_000)).rejects.toThrow("the limit of 30 min for one summary");
    expect(requests()).toBe(4);
  });
});

test("SUM13 EVT3 the wait for the first token is reported every minute, and a retry with its reason", async () => {
  const { steps } = await ask(hang, { firstToken: 150 * SECOND });
  const waits = [60_000, 120_000].map((elapsedMs) => ({ step: "awaiting-first-token", elapsedMs, limitMs: 150_000 }));
  expect(steps).toEqual([
    ...waits,
    { step: "waiting", attempt: 1, delayMs: 1_000, errorMessage: "no token arrived within 150 s" },
    { step: "asking-again", attempt: 1 },
    ...waits,
    { step: "answered", attempts: 1 },
  ]);
});

const rejecting: Runtime["sleep"] = async (ms, act) => {
  await sleep(ms, act);
  act.signal?.throwIfAborted();
};

test("SUM13 a clock that rejects on abort causes no error", async () => {
  const model = createModel(after(1, delta));
  const limit = startTimeLimit(createSummaryTimeouts(), { sleep: rejecting });
  expect((await askModel(request, { model, runtime: { sleep: rejecting }, time: limit })).type).toBe("answered");
  limit.stop();
  await sleep(60 * SECOND, {});
  expect(limit.totalExpired.aborted).toBe(false);
});

test("SUM13 CMP3 Esc before the retry cancels, even if the clock rejects", async () => {
  const stop = new AbortController();
  void sleep(0.5 * SECOND, {}).then(() => stop.abort());
  let requests = 0;
  const model = createModel(async function* () {
    requests += 1;
    yield { type: "reply-failed", failure: { kind: "unreachable", message: "line cut" } };
  });
  const reply = await askModel(request, {
    model,
    runtime: { sleep: rejecting },
    time: defaultTime,
    signal: stop.signal,
  });
  expect([reply, requests]).toEqual([{ type: "cancelled" }, 1]);
});

test("SUM13 an infinite limit, or one longer than any timer, is not reached", async () => {
  const none = Number.POSITIVE_INFINITY;
  for (const time of [
    { firstToken: none, nextToken: none, attempt: none, total: none },
    { ...createSummaryTimeouts(), total: none },
    createSummaryTimeouts(30 * 24 * 3600 * SECOND),
  ]) {
    // Node ends a timer at once that is set to more than 2^31 − 1 ms.
    const waits: number[] = [];
    const nodeSleep: Runtime["sleep"] = (ms, act) => {
      waits.push(ms);
      return sleep(ms > 2 ** 31 - 1 ? 1 : ms, act);
    };
    const model = createModel(after(60, delta));
    const limit = startTimeLimit(time, { sleep: nodeSleep });
    const reply = await askModel(request, { model, runtime: { sleep: nodeSleep }, time: limit });
    limit.stop();
    expect(reply.type).toBe("answered");
    expect(Math.max(...waits)).toBeLessThan(2 ** 31);
  }
});

test("SUM13 EVT5 Esc during the retry keeps the usage of the first attempt", async () => {
  const stop = new AbortController();
  void sleep(300 * SECOND, {}).then(() => stop.abort());
  let requests = 0;
  const failure = { kind: "unreachable", message: "line cut" } as const;
  const failing = after(0, { type: "reply-failed", failure, message: assistantMessage({ stopReason: "error" }) });
  const record = await ask(() => (requests++ === 0 ? failing() : hang()), {}, stop.signal);
  expect([record.reply, record.requests, record.spent]).toEqual([{ type: "cancelled" }, 2, [billedUsage]]);
});

describe("SUM13 CMP3 Esc ends the request at once", () => {
  test.each<[string, Model["stream"], number, number]>([
    ["during the wait for the first token", hang, 300, 1],
    ["between two tokens", trickle, 300, 1],
    ["before the retry", hang, 600.5, 1],
    ["during the retry", hang, 900, 2],
  ])("%s", async (_, stream, seconds, requests) => {
    const stop = new AbortController();
    void sleep(seconds * SECOND, {}).then(() => stop.abort());
    const record = await ask(stream, {}, stop.signal);
    expect([record.reply.type, record.requests]).toEqual(["cancelled", requests]);
  });
});
