/** Checks that every request below the compaction threshold leaves room for a whole reply, on four protocols at real sizes. */

import { type ContextEvent, compactionLimits } from "@pith/context";
import { type ScriptRequest, type ServedRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { Agent, AgentEvent, Tool } from "../../src/index.ts";
import { agentOf, echo, modelOf, providers, ran } from "../support/served-agents.ts";

let server: TestServer;
afterEach(() => server.close());

const WINDOWS = [16_384, 32_768, 200_000, 1_000_000];
/** Each protocol with a model that thinks. */
const thinkers = providers.map((modelName) =>
  modelName.provider === "openrouter" ? { ...modelName, model: "deepseek/deepseek-v3.1" as const } : modelName,
);
const cases = thinkers.flatMap((modelName) => WINDOWS.map((window) => ({ ...modelName, window })));

describe("below the compaction threshold", () => {
  test.each(cases)(
    "ROOM1 $provider with a window of $window tokens has room for a whole reply",
    async ({ window, ...modelName }) => {
      server = await startServer({ script: () => "Understood." });
      const model = await modelOf(modelName, server, window);
      const agent = await agentOf(model, { thinkingLevel: "high" });
      const compactions = await fillUp(agent, window);
      const requests = server.requests.filter(({ outcome }) => outcome === "said").slice(0, -1);
      const fills = requests.map((request) => inputOf(request) / limitOf(window));
      expect(compactions).toEqual([]);
      expect(Math.max(...fills)).toBeGreaterThan(0.9);
      expect(requests.length).toBeGreaterThan(15);
      for (const request of requests) {
        const callCount = maxTokensIn(bodyOf(request));
        expect(callCount).toBeGreaterThanOrEqual(Math.min(model.maxTokens, window - limitOf(window)));
        // Strict providers refuse a request that could outgrow the window.
        expect(inputOf(request) + callCount).toBeLessThanOrEqual(window);
      }
      const thinking = new Set(requests.map((request) => JSON.stringify(thinkingIn(bodyOf(request)))));
      expect([...thinking]).toHaveLength(1);
      expect([...thinking][0]).not.toMatch(/disabled|none|null/);
    },
  );

  test.each(providers)(
    "ROOM1 $provider gets a call of 6,000 tokens completely at 97% of the threshold",
    async (modelName) => {
      const window = 200_000;
      const content = "const value = 1;\n".repeat(1_000);
      server = await startServer({ script: writesInto(content) });
      const written: string[] = [];
      const write: Tool = {
        ...echo,
        run: async ({ arguments: { text } }) => {
          written.push(String(text));
          return { content: [{ type: "text", text: "written" }] };
        },
      };
      const agent = await agentOf(await modelOf(modelName, server, window), { thinkingLevel: "high", tools: [write] });
      await fillUp(agent, window, 0.9);
      const missing = 0.97 * limitOf(window) - inputOf(newest());
      await ran(agent, `${dataOf(missing)}Write the file.`);
      const served = server.requests.find(({ body }) => JSON.stringify(body ?? "").includes("Write the file."));
      expect(inputOf(served ?? newest()) / limitOf(window)).toBeCloseTo(0.97, 2);
      expect(written).toEqual([content]);
    },
  );
});

test("ROOM2 thinking without room is reported once, with what to do about it", async () => {
  server = await startServer({ script: () => "Understood." });
  const model = await modelOf(providers[0], server, 6_000);
  const notices: AgentEvent[] = [];
  const agent = await agentOf(model, {
    thinkingLevel: "medium",
    limits: { ...compactionLimits, enabled: false },
    onEvent: (event) => void (event.type === "model_notice" && notices.push(event)),
  });
  await ran(agent, "Hello.");
  expect(notices).toEqual([]);
  await fillUp(agent, 6_000, 1.1);
  await ran(agent, "Go on.");
  const message = expect.stringMatching(/^Thinking is off for this reply: .+ Run \/compact, or use a model/);
  expect(notices).toEqual([{ type: "model_notice", code: "thinking-off", message }]);
  const [hello] = server.requests;
  expect(hello && bodyOf(hello).thinking).toMatchObject({ type: "enabled" });
  expect(bodyOf(newest()).thinking).toMatchObject({ type: "disabled" });
});

test("ROOM2 a model without thinking causes a notice that the level has no effect", async () => {
  server = await startServer({ script: () => "Understood." });
  const model = await modelOf({ provider: "openai", model: "gpt-4o", path: "/v1" }, server);
  const agent = await agentOf(model, { thinkingLevel: "high" });
  const first = await ran(agent, "Hello.");
  const second = await ran(agent, "Go on.");
  const notices = [...first.events, ...second.events].filter(({ type }) => type === "model_notice");
  expect(notices).toMatchObject([{ message: "gpt-4o does not support thinking; the thinking level has no effect." }]);
});

describe("ROOM3 a provider that refuses input and answer together", () => {
  const window = 200_000;
  /** Counts a quarter more than any estimate of plain words. */
  const strict = ({ body }: ScriptRequest): Step => {
    const input = Math.ceil(JSON.stringify(body.messages).length / 4);
    const most = maxTokensIn(body);
    const message = `input length and \`max_tokens\` exceed context limit: ${input} + ${most} > ${window}, decrease input length or \`max_tokens\` and try again`;
    return input + most > window ? { refuse: { status: 400, type: "invalid_request_error", message } } : "Understood.";
  };

  test("gets one more request with a shorter reply limit if the input fits", async () => {
    server = await startServer({ script: strict });
    const agent = await agentOf(await modelOf(providers[0], server, window));
    const { events, end } = await ran(agent, "word ".repeat(154_000));
    expect(end).toEqual({ type: "done" });
    expect(events.some(({ type }) => type === "compaction_start")).toBe(false);
    expect(server.requests.map(({ outcome }) => outcome)).toEqual(["scripted", "said"]);
  });

  test("gets a reply limit that counts the messages added by hooks", async () => {
    server = await startServer({ script: strict });
    const added = { role: "user", content: "word ".repeat(130_000), timestamp: 0 } as const;
    const context = [(event: ContextEvent) => ({ messages: [added, ...event.messages] })];
    const agent = await agentOf(await modelOf(providers[0], server, window), { hooks: { context } });
    expect((await ran(agent, "Hello.")).end).toEqual({ type: "done" });
    expect(maxTokensIn(bodyOf(newest()))).toBeLessThan(60_000);
  });
});

/** A message after the other, each a small part of the limit, until the next one would pass it. */
async function fillUp(agent: Agent, window: number, share = 0.95): Promise<readonly AgentEvent[]> {
  const compactions: AgentEvent[] = [];
  const part = dataOf(limitOf(window) / 25);
  for (let turn = 0; turn < 40; turn += 1) {
    await ran(agent, part, (event) => void (event.type === "compaction_start" && compactions.push(event)));
    if (inputOf(newest()) > share * limitOf(window)) return compactions;
  }
  throw new Error(`the window is not full after 40 turns: ${inputOf(newest())} tokens`);
}

/** So many tokens as the server counts them, and far more by any estimate. */
function dataOf(tokens: number): string {
  const line = 'plain words in a row {"k":17}\n';
  return line.repeat((4 * tokens) / line.length);
}

function limitOf(window: number): number {
  const { tokens: reserve } = Object(compactionLimits.thresholds[0]?.reserve) as { tokens: number };
  return window - Math.min(reserve, window * compactionLimits.largestReserve);
}

function newest(): ServedRequest {
  const last = server.requests.at(-1);
  if (!last) throw new Error("no request has come");
  return last;
}

/** Asked to write, it replies with a call that has a long argument, cut off where the request allows fewer tokens. */
function writesInto(content: string): (request: ScriptRequest) => Step {
  return ({ text, resultCount, body }) => {
    if (!text.endsWith("Write the file.") || resultCount > 0) return "Done.";
    const call = { type: "call", name: "echo", arguments: { text: content } } as const;
    if (maxTokensIn(body) >= 6_000) return { parts: [call] };
    return { parts: [{ type: "text", text: "cut off" }], stop: "length" };
  };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf({ body }: ServedRequest): Body {
  return body as Body;
}

function inputOf({ usage }: ServedRequest): number {
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
}

function maxTokensIn(body: Body): number {
  const { maxOutputTokens } = Object(body.generationConfig) as Body;
  return Number(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? maxOutputTokens);
}

function thinkingIn(body: Body): unknown {
  const { thinkingConfig } = Object(body.generationConfig) as Body;
  return body.thinking ?? body.reasoning ?? body.reasoning_effort ?? thinkingConfig ?? null;
}
