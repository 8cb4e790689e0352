/** Tests the adapter with any model: one final event, soon after an abort, and no thrown error. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Model, type ModelEvent, textTokens } from "@pith/context";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AiSdkModelOptions, createAiSdkModel } from "../src/ai-sdk-model.ts";
import { eventsOf, modelAt, names } from "./served.ts";
import { requestOf, user } from "./support/messages.ts";

const request = requestOf([user("hello")]);
const name = { api: "anthropic-messages", provider: "anthropic", model: "claude" };

type Stream = ReadableStream<LanguageModelV4StreamPart>;

function modelOf(
  stream: (options: LanguageModelV4CallOptions) => Stream | Promise<Stream>,
  more: Partial<AiSdkModelOptions> = {},
): Model {
  const language: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "p",
    modelId: "m",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("nobody asked for this")),
    doStream: async (options) => ({ stream: await stream(options) }),
  };
  return createAiSdkModel({
    languageModel: language,
    modelName: name,
    contextWindow: 100_000,
    maxTokens: 5000,
    runtime: { now: () => 1 },
    ...more,
  });
}

const streamOf = (...parts: readonly LanguageModelV4StreamPart[]): Stream => ReadableStream.from(parts);

/** Says these parts and then nothing, for ever, whatever it is told. */
function hanging(...parts: readonly LanguageModelV4StreamPart[]): Stream {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
    },
    cancel: () => new Promise(() => {}),
  });
}

const text: LanguageModelV4StreamPart = { type: "text-delta", id: "0", delta: "hello" };

function finish(
  unified: "stop" | "length" | "error",
  raw: string | undefined,
  { input = 10, output = 5 } = {},
): LanguageModelV4StreamPart {
  const usage = {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
  return { type: "finish", finishReason: { unified, raw }, usage };
}

const endings = (events: readonly ModelEvent[]) => events.filter(({ type }) => type.startsWith("reply-"));

describe("abort", () => {
  /** Ends when the reply does; the time is that from the abort to the end. */
  async function aborted(model: Model): Promise<{ readonly events: readonly ModelEvent[]; readonly took: number }> {
    const stop = new AbortController();
    let at = 0;
    setTimeout(() => {
      at = performance.now();
      stop.abort();
    }, 50);
    const events = await eventsOf(model, request, stop.signal);
    return { events, took: performance.now() - at };
  }

  // On a busy machine any of them may wait for its turn.
  async function soonest(model: Model): ReturnType<typeof aborted> {
    const tries = [await aborted(model), await aborted(model), await aborted(model)];
    return tries.reduce((best, each) => (each.took < best.took ? each : best));
  }

  test("MOD2 ends a stream that ignores the signal at once", async () => {
    const { events, took } = await soonest(modelOf(() => hanging(text)));
    expect(took).toBeLessThan(200);
    expect(events).toMatchObject([
      { type: "text-delta", text: "hello" },
      {
        type: "reply-failed",
        failure: { kind: "aborted" },
        message: { stopReason: "aborted", content: [{ type: "text", text: "hello" }] },
      },
    ]);
  });

  test("MOD2 ends a request without a response", async () => {
    const { events, took } = await soonest(modelOf(() => new Promise(() => {})));
    expect(took).toBeLessThan(200);
    expect(events).toEqual([{ type: "reply-failed", failure: { kind: "aborted", message: "the reply was aborted" } }]);
  });

  test("MOD2 before the start sends no request", async () => {
    let wasCalled = false;
    const model = modelOf(() => {
      wasCalled = true;
      return streamOf(text);
    });
    expect(await eventsOf(model, request, AbortSignal.abort())).toMatchObject([{ failure: { kind: "aborted" } }]);
    expect(wasCalled).toBe(false);
  });

  test.each(names)("MOD2 on $api closes the connection", async (real) => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      response.on("close", closed.resolve);
      stop.abort();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const events = await eventsOf(modelAt(`http://127.0.0.1:${port}`, real), request, stop.signal);
    expect(events).toMatchObject([{ type: "reply-failed", failure: { kind: "aborted" } }]);
    await closed.promise;
    await new Promise((resolve) => server.close(resolve));
  });

  test("MOD2 ends the request when the caller stops reading", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const model = modelOf(({ abortSignal }) => {
      abortSignal?.addEventListener("abort", () => resolve());
      return hanging(text);
    });
    for await (const event of model.stream(request, {})) if (event.type === "text-delta") break;
    await promise;
  });
});

describe("the last event", () => {
  const part = fc.oneof(
    fc.constantFrom("text", "reasoning", "tool-input").chain((kind) =>
      fc.record({
        type: fc.constantFrom(`${kind}-start`, `${kind}-delta`, `${kind}-end`),
        id: fc.constantFrom("a", "b"),
        delta: fc.string({ maxLength: 3 }),
        toolName: fc.constant("read"),
      }),
    ),
    fc.record({
      type: fc.constant("tool-call"),
      toolCallId: fc.constantFrom("a", "b"),
      toolName: fc.constant("read"),
      input: fc.json(),
    }),
    fc.record({ type: fc.constant("error"), error: fc.anything() }),
    fc.record({
      type: fc.constant("finish"),
      finishReason: fc.record({
        unified: fc.constantFrom("stop", "other", "error", "length", "interrupted"),
        raw: fc.option(fc.string(), { nil: undefined }),
      }),
      usage: fc.constant({ inputTokens: {}, outputTokens: {} }),
    }),
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<LanguageModelV4StreamPart>;

  test.each([...names, { api: "any-other", provider: "x", model: "y" }])(
    "MOD1 is the only final event, and nothing is thrown, whatever $api streams",
    async (each) => {
      await fc.assert(
        fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
          const events = await eventsOf(
            modelOf(() => streamOf(...parts), { modelName: each }),
            request,
          );
          expect(endings(events)).toEqual(events.slice(-1));
        }),
        { numRuns: 200 },
      );
    },
  );

  test("MOD1 is the only final event, and errors before or in the stream are not thrown", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.boolean(), async (thrown, begun) => {
        const model = modelOf(() => {
          if (!begun) throw thrown;
          return new ReadableStream({ start: (controller) => controller.error(thrown) });
        });
        const events = await eventsOf(model, request);
        expect(events).toHaveLength(1);
        expect(events).toMatchObject([{ type: "reply-failed", failure: { message: expect.any(String) } }]);
      }),
    );
  });

  test("MOD1 comes at the finish part, even if the stream continues", async () => {
    const events = await eventsOf(
      modelOf(() => hanging(text, finish("stop", "end_turn"), text)),
      request,
    );
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "reply-ended"]);
  });
});

describe("overflow in a reply", () => {
  const last = async (...parts: readonly LanguageModelV4StreamPart[]) =>
    (
      await eventsOf(
        modelOf(() => streamOf(...parts)),
        request,
      )
    ).at(-1);

  test("MOD7 a valid reply reports the overflow", async () => {
    expect(await last(text, finish("stop", "stop", { input: 110_000 }))).toMatchObject({
      type: "reply-ended",
      overflow: { kind: "overflow" },
    });
    expect(await last(text, finish("length", "model_context_window_exceeded"))).toMatchObject({
      type: "reply-ended",
      message: { stopReason: "length" },
      overflow: { kind: "overflow" },
    });
  });

  test("MOD7 an empty reply fails", async () => {
    expect(await last(finish("length", "length", { input: 99_900, output: 0 }))).toMatchObject({
      type: "reply-failed",
      failure: { kind: "overflow" },
    });
  });

  test("MOD7 a reply cut short is overflow only in a full window", async () => {
    expect(await last(text, finish("length", "length", { input: 98_000, output: 100 }))).toMatchObject({
      type: "reply-failed",
      failure: { kind: "overflow" },
      message: { content: [{ text: "hello" }] },
    });
    const short = await last(text, finish("length", "length", { input: 1000, output: 100 }));
    expect(short).toMatchObject({ type: "reply-ended", message: { stopReason: "length" } });
    expect(short).not.toHaveProperty("overflow");
  });
});

describe("a request", () => {
  const requestTokens = async (tokens: number, parts: Partial<AiSdkModelOptions> = {}): Promise<number | undefined> => {
    let options: LanguageModelV4CallOptions | undefined;
    const model = modelOf((given) => {
      options = given;
      return streamOf(text, finish("stop", "stop"));
    }, parts);
    await eventsOf(model, requestOf([user("word ".repeat(tokens))]));
    return options?.maxOutputTokens;
  };

  test("MOD8 asks for the model's maximum of tokens, or for what the window leaves", async () => {
    expect(await requestTokens(10)).toBe(5000);
    const taken = Math.ceil(textTokens("word ".repeat(20_000)) * 1.1);
    const left = (await requestTokens(20_000, { contextWindow: taken + 3000 })) ?? 0;
    expect(left).toBeGreaterThan(2900);
    expect(left).toBeLessThanOrEqual(3000);
    expect(await requestTokens(20_000, { contextWindow: taken })).toBe(1024);
    expect(await requestTokens(10, { contextWindow: 800 })).toBe(800);
  });

  test("MOD10 is sized by the current context window", () => {
    let window = 200_000;
    const model = modelOf(() => streamOf(), { contextWindow: () => window });
    window = 32_000;
    expect(model.contextWindow).toBe(32_000);
  });
});

test("MOD11 contains text instead of images for a model without image input", async () => {
  let prompt: unknown;
  const model = modelOf(
    (given) => {
      prompt = given.prompt;
      return streamOf(text, finish("stop", "stop"));
    },
    { supportsImages: false },
  );
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  await eventsOf(
    model,
    requestOf([{ role: "user", content: [image, { type: "text", text: "what is it?" }], timestamp: 0 }]),
  );
  expect(JSON.stringify(prompt)).toContain("[image omitted: this model does not support images]");
  expect(JSON.stringify(prompt)).not.toContain("aGk=");
});
