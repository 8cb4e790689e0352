/** Tests forty rounds on each protocol over HTTP with the real provider packages: accepted, complete and cached. */

import { type Reply, type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import { type Endpoint, endpoints, modelOf, modelRequests, TestConversation } from "./protocols.ts";

const ROUNDS = 40;
let server: TestServer;
afterEach(() => server.close());

describe.each(endpoints)("$provider", (endpoint) => {
  test("VOI1 forty rounds with reasoning, parallel calls, images and failed calls are never refused", async () => {
    const { replies } = await worked(endpoint);
    expect(modelRequests(server).filter(({ outcome }) => outcome !== "said")).toEqual([]);
    expect(replies).toHaveLength(ROUNDS + 1);
    expect(
      replies.every(
        ({ content }, at) => at === ROUNDS || content.filter(({ type }) => type === "toolCall").length === 2,
      ),
    ).toBe(true);
  });

  test("VOI2 usage and cost are equal to what the server counted", async () => {
    const { replies, prices } = await worked(endpoint);
    for (const [at, { usage }] of replies.entries()) {
      const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = modelRequests(server)[at]?.usage ?? {};
      const { cost, totalTokens, ...counted } = usage;
      expect(counted).toEqual({ input, output, cacheRead, cacheWrite });
      expect(totalTokens).toBe(input + output + cacheRead + cacheWrite);
      const dollars =
        (input * prices.input +
          output * prices.output +
          cacheRead * prices.cacheRead +
          cacheWrite * prices.cacheWrite) /
        1e6;
      expect(cost.total).toBeCloseTo(dollars, 12);
    }
    expect(replies.at(-1)?.usage.cacheRead).toBeGreaterThan((replies.at(-1)?.usage.input ?? 0) * 5);
  });

  test("VOI3 every request begins with the whole previous request", async () => {
    await worked(endpoint);
    const bodies = modelRequests(server).map(({ body }) => messagesIn(body));
    for (const [at, messages] of bodies.entries())
      expect(messages.slice(0, bodies[at - 1]?.length ?? 0)).toEqual(bodies[at - 1] ?? []);
  });

  test("VOI4 sends reasoning back byte for byte", async () => {
    await worked(endpoint);
    const last = JSON.stringify(modelRequests(server).at(-1)?.body);
    // Google wants its signatures back, not its thoughts.
    const kept =
      endpoint.provider === "google"
        ? "thoughtSignature"
        : endpoint.provider === "openai"
          ? "encrypted_content"
          : "I think about round 40";
    expect(last).toContain(kept);
  });
});

async function worked(endpoint: Endpoint) {
  server = await startServer({ script: scriptRound });
  const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const user = { [`${endpoint.provider}/*`]: { prices, contextWindow: 400_000, maxTokens: 32_000 } };
  const model = await modelOf(endpoint, server, { catalogue: createCatalogue({ userModels: user }) });
  const conversation = await TestConversation.begin();
  await conversation.say(`Do ${ROUNDS} rounds of work. ${"Here is what you need to know. ".repeat(200)}`);
  const replies = [];
  for (let at = 0; at <= ROUNDS; at += 1) {
    const reply = await conversation.ask(model);
    replies.push(reply);
    await conversation.answer(reply);
  }
  return { replies, prices };
}

function scriptRound({ number }: ScriptRequest): Reply {
  if (number > ROUNDS) return { parts: [{ type: "text", text: "All done." }] };
  const name = number % 7 === 0 ? "look" : number % 5 === 0 ? "fail" : "read";
  return {
    parts: [
      { type: "thinking", text: `I think about round ${number}.`, redacted: number % 9 === 0 },
      { type: "text", text: `Round ${number} — “quoted”, 漢字, 😀` },
      { type: "call", name, arguments: { path: `${number}.txt` } },
      { type: "call", name: "read", arguments: { path: `${number}b.txt` } },
    ],
  };
}

function messagesIn(body: unknown): readonly unknown[] {
  const { messages, input, contents } = body as Record<string, readonly unknown[]>;
  return JSON.parse(JSON.stringify(messages ?? input ?? contents ?? []), (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}
