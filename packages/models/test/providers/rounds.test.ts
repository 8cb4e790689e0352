/** Forty rounds of work on each protocol, over HTTP with the real provider packages: never refused, all of it kept, all of it counted. */

import { type Reply, type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import { asked, modelOf, Talk, type Voice, voices } from "./protocols.ts";

const ROUNDS = 40;
let server: TestServer;
afterEach(() => server.close());

describe.each(voices)("$provider", (voice) => {
  test("VOI1 forty rounds with reasoning, parallel calls, images and failed calls are never refused", async () => {
    const { replies } = await worked(voice);
    expect(asked(server).filter(({ outcome }) => outcome !== "said")).toEqual([]);
    expect(replies).toHaveLength(ROUNDS + 1);
    expect(
      replies.every(
        ({ content }, at) => at === ROUNDS || content.filter(({ type }) => type === "toolCall").length === 2,
      ),
    ).toBe(true);
  });

  test("VOI2 usage and cost are what the server counted", async () => {
    const { replies, prices } = await worked(voice);
    for (const [at, { usage }] of replies.entries()) {
      const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = asked(server)[at]?.usage ?? {};
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

  test("VOI3 every request begins with the whole of the one before it", async () => {
    await worked(voice);
    const bodies = asked(server).map(({ body }) => messagesIn(body));
    for (const [at, messages] of bodies.entries())
      expect(messages.slice(0, bodies[at - 1]?.length ?? 0)).toEqual(bodies[at - 1] ?? []);
  });

  test("VOI4 reasoning goes back byte for byte", async () => {
    await worked(voice);
    const last = JSON.stringify(asked(server).at(-1)?.body);
    // Google wants its signatures back, not its thoughts.
    const kept =
      voice.provider === "google"
        ? "thoughtSignature"
        : voice.provider === "openai"
          ? "encrypted_content"
          : "I think about round 40";
    expect(last).toContain(kept);
  });
});

async function worked(voice: Voice) {
  server = await startServer({ script: round });
  const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const user = { [`${voice.provider}/*`]: { prices, contextWindow: 400_000, maxTokens: 32_000 } };
  const model = await modelOf(voice, server, { catalogue: createCatalogue({ userModels: user }) });
  const talk = await Talk.begin();
  await talk.say(`Do ${ROUNDS} rounds of work. ${"Here is what you need to know. ".repeat(200)}`);
  const replies = [];
  for (let at = 0; at <= ROUNDS; at += 1) {
    const reply = await talk.ask(model);
    replies.push(reply);
    await talk.answer(reply);
  }
  return { replies, prices };
}

function round({ number }: ScriptRequest): Reply {
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
