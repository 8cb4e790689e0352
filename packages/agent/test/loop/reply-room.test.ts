/** Checks that every request below the compaction threshold leaves room for a whole reply, on four protocols at real sizes. */

import { compactionLimits } from "@pith/context";
import { type Asked, type Served, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { Agent, AgentEvent, Tool } from "../../src/index.ts";
import { agentOf, echo, modelOf, ran, voices } from "../agents.ts";

let server: TestServer;
afterEach(() => server.close());

const WINDOWS = [16_384, 32_768, 200_000, 1_000_000];
/** Each protocol with a model that thinks. */
const thinkers = voices.map((voice) =>
  voice.provider === "openrouter" ? { ...voice, model: "deepseek/deepseek-v3.1" as const } : voice,
);
const cases = thinkers.flatMap((voice) => WINDOWS.map((window) => ({ ...voice, window })));

describe("below the compaction threshold", () => {
  test.each(cases)("ROOM1 $provider, a window of $window tokens", async ({ window, ...voice }) => {
    server = await startServer({ script: () => "Understood." });
    const model = await modelOf(voice, server, window);
    const agent = await agentOf(model, { thinking: "high" });
    const compactions = await fillUp(agent, window);
    const requests = server.served.filter(({ outcome }) => outcome === "said").slice(0, -1);
    const fills = requests.map((request) => inputOf(request) / limitOf(window));
    expect(compactions).toEqual([]);
    expect(Math.max(...fills)).toBeGreaterThan(0.9);
    expect(requests.length).toBeGreaterThan(15);
    for (const request of requests) {
      const asked = maxTokensIn(bodyOf(request));
      expect(asked).toBeGreaterThanOrEqual(Math.min(model.maxTokens, window - limitOf(window)));
      // Strict providers refuse a request that could outgrow the window.
      expect(inputOf(request) + asked).toBeLessThanOrEqual(window);
    }
    const thinking = new Set(requests.map((request) => JSON.stringify(thinkingIn(bodyOf(request)))));
    expect([...thinking]).toHaveLength(1);
    expect([...thinking][0]).not.toMatch(/disabled|none|null/);
  });

  test.each(voices)("ROOM1 $provider, a call of 6,000 tokens at 97 % of the threshold arrives whole", async (voice) => {
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
    const agent = await agentOf(await modelOf(voice, server, window), { thinking: "high", tools: [write] });
    await fillUp(agent, window, 0.9);
    const missing = 0.97 * limitOf(window) - inputOf(newest());
    await ran(agent, `${dataOf(missing)}Write the file.`);
    const asked = server.served.find(({ body }) => JSON.stringify(body ?? "").includes("Write the file."));
    expect(inputOf(asked ?? newest()) / limitOf(window)).toBeCloseTo(0.97, 2);
    expect(written).toEqual([content]);
  });
});

test("ROOM2 thinking that is dropped is told once, with what to do about it", async () => {
  server = await startServer({ script: () => "Understood." });
  const model = await modelOf(voices[0], server, 6_000);
  const agent = await agentOf(model, { thinking: "medium" });
  const first = await ran(agent, "Hello.");
  const second = await ran(agent, "Go on.");
  expect(first.events.filter(({ type }) => type === "model_notice")).toEqual([
    {
      type: "model_notice",
      code: "thinking-off",
      message: expect.stringMatching(/^Thinking is off for this reply: .+ Run \/compact, or use a model/),
    },
  ]);
  expect(second.events.some(({ type }) => type === "model_notice")).toBe(false);
  for (const request of server.served) expect(bodyOf(request).thinking).toMatchObject({ type: "disabled" });
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
  const [{ reserve = 0 } = {}] = compactionLimits.thresholds;
  return window - Math.min(reserve, window * compactionLimits.largestReserve);
}

function newest(): Served {
  const last = server.served.at(-1);
  if (!last) throw new Error("no request has come");
  return last;
}

/** Asked to write, it replies with a call that has a long argument, cut off where the request allows fewer tokens. */
function writesInto(content: string): (asked: Asked) => Step {
  return ({ text, results, body }) => {
    if (!text.endsWith("Write the file.") || results > 0) return "Done.";
    const call = { type: "call", name: "echo", arguments: { text: content } } as const;
    if (maxTokensIn(body) >= 6_000) return { parts: [call] };
    return { parts: [{ type: "text", text: "cut off" }], stop: "length" };
  };
}

type Body = Readonly<Record<string, unknown>>;

function bodyOf({ body }: Served): Body {
  return body as Body;
}

function inputOf({ usage }: Served): number {
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
