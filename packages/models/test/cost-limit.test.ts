/** Tests cost-limit.ts: models over HTTP that share one limit. */

import type { Model, ModelEvent } from "@pith/context";
import { type Reply, type Script, startServer } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { CostLimit, openModel, type RequestLimit } from "../src/index.ts";

async function openServedModel(script: Script, requestLimit: RequestLimit) {
  const server = await startServer({ script });
  onTestFinished(() => server.close());
  const result = await openModel(
    { provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl: server.url },
    { environment: {}, requestLimit, requestPolicy: { firstWaitMs: 1 } },
  );
  if (result.type !== "opened") throw new Error(result.message);
  return { model: result.model, server };
}

async function streamReply(model: Model): Promise<readonly ModelEvent[]> {
  const messages = [{ role: "user", content: [{ type: "text", text: "Hi" }], timestamp: 0 }] as const;
  const request = { system: [], tools: [], messages, thinking: "off", toolChoice: "auto", cacheMarks: [] } as const;
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, {})) events.push(event);
  return events;
}

/** Costs $0.03 as input and $0.015 as output. */
const dear: Reply = {
  parts: [{ type: "text", text: "Hello. ".repeat(40) }],
  usage: { input: 10_000, cacheRead: 0, cacheWrite: 0, output: 1_000 },
};

test("BOUND9 models that share a limit send no request once it is reached", async () => {
  const limit = new CostLimit(0.08);
  const first = await openServedModel([dear, dear], limit);
  const second = await openServedModel([dear], limit);
  expect((await streamReply(first.model)).at(-1)?.type).toBe("reply-ended");
  expect((await streamReply(second.model)).at(-1)?.type).toBe("reply-ended");
  const why = "the run stopped because it cost $0.0900; the limit is $0.08";
  for (const { model } of [first, second])
    expect(await streamReply(model)).toEqual([
      { type: "reply-failed", failure: { kind: "refused", reason: "cost-limit", message: why } },
    ]);
  expect([first.server.requests.length, second.server.requests.length]).toEqual([1, 1]);
  limit.reset();
  expect((await streamReply(first.model)).at(-1)?.type).toBe("reply-ended");
});

test("BOUND9 a retry checks the limit again, and a broken reply counts", async () => {
  const costs: number[] = [];
  const answers = [null, "enough"];
  const limit = {
    check: async () => answers.shift() ?? null,
    recordUsage: ({ cost }: { readonly cost: { readonly total: number } }) => void costs.push(cost.total),
  };
  const broken: Reply = { ...dear, breaks: { how: "cut", after: 4 } };
  const { model, server } = await openServedModel([broken, dear], limit);
  const events = await streamReply(model);
  expect(events.map(({ type }) => type).filter((type) => type !== "text-delta")).toEqual([
    "reply-restarted",
    "reply-failed",
  ]);
  expect(events.at(-1)).toMatchObject({ failure: { reason: "cost-limit", message: "enough" } });
  expect(server.requests).toHaveLength(1);
  expect(costs).toHaveLength(1);
});
