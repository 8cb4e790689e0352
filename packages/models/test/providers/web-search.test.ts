/** The provider's own web search over HTTP, with the real provider packages: found, kept, sent back as it came, told to others in words. */

import { compact, compactionLimits, createBudget } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { encryptPage } from "../../../testkit/src/protocols/anthropic/reply.ts";
import { readServerToolRun, supportsWebSearch, webSearch } from "../../src/convert/index.ts";
import { asked, modelOf, Talk, type Voice, voices } from "./protocols.ts";
import { begun, declare, found, holding, outcomes, ROUNDS, round, searchers, sent, work } from "./web-search.ts";

let server: TestServer;
afterEach(() => server.close());

const LINE = '\n[searched the web for "how do "leases" expire?"';

describe.each(searchers)("$provider", (voice) => {
  test("NAT1 a search in the second of five rounds is a text in its place, and nothing after it is refused", async () => {
    const { replies } = await searched(voice);
    expect(outcomes(server)).toEqual(Array.from({ length: ROUNDS }, () => "said"));
    const told = replies[1]?.content
      .filter(({ type }) => type === "text")
      .map((block) => "text" in block && block.text);
    expect(told).toEqual(["Now 2.", expect.stringContaining(LINE), "Found it."]);
    expect(replies[1]?.content.filter((block) => readServerToolRun(block))).toHaveLength(1);
  });

  test("NAT2 every request begins with the whole of the one before it, the search included", async () => {
    await searched(voice);
    for (let at = 1; at < ROUNDS; at += 1) {
      const [before, after] = [sent(server, at - 1), sent(server, at)];
      expect(after.tools).toEqual(before.tools);
      expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    }
  });

  test("NAT3 what was found goes back to the model that found it, byte for byte", async () => {
    await searched(voice);
    expect(raw(voice, sent(server, -1).messages)).toEqual(foundBy[voice.provider]);
  });

  test("NAT5 after another provider has spoken it goes back again, and the other one has read a line", async () => {
    server = await startServer({ script: ({ number }) => round({ number: ((number - 1) % 4) + 1 }) });
    const own = await modelOf(voice, server);
    for (const other of voices.filter(({ provider }) => provider !== voice.provider)) {
      await work(await begun(), [own, own, await modelOf(other, server), own]);
      const [elsewhere, again] = [sent(server, -2), sent(server, -1)];
      expect(raw(voice, elsewhere.messages)).toEqual([]);
      expect(JSON.stringify(elsewhere.messages)).toContain("searched the web for");
      expect(raw(voice, again.messages)).toEqual(foundBy[voice.provider]);
    }
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT6 switched off it is declared no longer, and what was found is told in words", async () => {
    const { talk, model } = await searched(voice);
    expect(declared()).toBe(1);
    await declare(talk, { toolsRemoved: [webSearch] });
    await talk.say("Go on without it.");
    await work(talk, [model]);
    expect(declared()).toBe(0);
    expect(raw(voice, sent(server, -1).messages)).toEqual([]);
    expect(JSON.stringify(sent(server, -1).messages)).toContain("searched the web for");
    await declare(talk, { toolsAdded: [webSearch] });
    await talk.say("And with it again.");
    await work(talk, [model]);
    expect(raw(voice, sent(server, -1).messages)).toEqual(foundBy[voice.provider]);
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT7 a compaction afterwards keeps the search switched on, and nothing is refused", async () => {
    const { talk, model } = await searched(voice);
    for (let at = 0; at < 8; at += 1) {
      await talk.say(`Another thing, number ${at}. ${"Here is a lot to read. ".repeat(400)}`);
      await work(talk, [model]);
    }
    const budget = createBudget(compactionLimits, { contextWindow: 20_000 });
    const outcome = await compact({ session: talk.session, budget, reason: "asked", runtime: nodeRuntime });
    expect(outcome.type).toBe("compacted");
    await talk.say("What now?");
    await work(talk, [model]);
    expect(declared()).toBe(1);
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT8 a search that fails, or finds nothing, is told, and the work goes on", async () => {
    const failing = { ...found, results: [], error: "max_uses_exceeded" };
    server = await startServer({
      script: ({ number }) => {
        if (number > 2) return "done";
        const search = number === 1 ? failing : { ...found, results: [] };
        return { parts: [{ type: "thinking", text: "hm" }, search, { type: "text", text: "So be it." }] };
      },
    });
    const model = await modelOf(voice, server);
    const talk = await begun();
    for (const question of ["Look.", "Again.", "Well?"]) {
      await talk.ask(model);
      await talk.say(question);
    }
    expect(outcomes(server)).toEqual(["said", "said", "said"]);
  });

  test("NAT8 a reply that ran out of room behind its search, in the middle of a thought, is not refused later", async () => {
    server = await startServer({
      script: ({ number }) =>
        number === 1
          ? { parts: [{ type: "thinking", text: "hm" }, found, { type: "thinking", text: "so" }], stop: "length" }
          : "done",
    });
    const model = await modelOf(voice, server);
    const talk = await begun();
    await talk.ask(model);
    await talk.say("Go on.");
    await talk.ask(model);
    expect(outcomes(server)).toEqual(["said", "said"]);
    expect(JSON.stringify(sent(server, -1).messages)).toMatch(/searched the web|encrypted_content|toolResponse/);
  });
});

test("NAT4 who has no search of its own is neither asked for one nor told of it", async () => {
  server = await startServer({ script: () => "ok" });
  const [elsewhere] = voices.filter(({ provider }) => provider === "openrouter");
  const older: Voice = { provider: "google", model: "gemini-2.5-pro", path: "/v1beta" };
  for (const voice of [elsewhere, older] as readonly Voice[]) {
    const model = await modelOf(voice, server);
    const talk = await Talk.begin("off");
    await talk.say("Hello.");
    await talk.ask(model);
    await declare(talk, { toolsAdded: [webSearch] });
    await talk.say("Look it up.");
    await talk.ask(model);
    expect(supportsWebSearch(model)).toBe(false);
    expect(JSON.stringify(asked(server).at(-1)?.body)).not.toMatch(/web_search|google_?search/i);
  }
});

async function searched(voice: Voice) {
  server = await startServer({ script: round });
  const model = await modelOf(voice, server);
  const talk = await begun();
  const replies = await work(
    talk,
    Array.from({ length: ROUNDS }, () => model),
  );
  return { talk, model, replies };
}

/** How often the newest request declares a search of the provider's own. */
function declared(): number {
  const tools = sent(server, -1).tools as readonly Record<string, unknown>[];
  return tools.filter(({ type, googleSearch }) => googleSearch || String(type).startsWith("web_search")).length;
}

/** What a provider wants back of a search, in its own spelling. */
function raw({ provider }: Voice, messages: readonly unknown[]): readonly unknown[] {
  if (provider === "anthropic") return holding(messages, "encrypted_content").filter(({ url }) => url !== undefined);
  if (provider === "openai") return holding(messages, "action");
  return [...holding(messages, "toolCall"), ...holding(messages, "toolResponse")];
}

const { query, results: pages } = found;
const foundBy: Readonly<Record<string, readonly unknown[]>> = {
  anthropic: pages.map(({ title, url }) => ({
    ...{ type: "web_search_result", url, title, page_age: null },
    encrypted_content: encryptPage({ title, url }),
  })),
  openai: [
    {
      type: "web_search_call",
      id: expect.stringMatching(/^ws_r/),
      status: "completed",
      action: { type: "search", query, queries: [query], sources: pages.map(({ url }) => ({ type: "url", url })) },
    },
  ],
  google: [
    {
      toolCall: { toolType: "GOOGLE_SEARCH_WEB", args: { queries: [query] }, id: expect.any(String) },
      thoughtSignature: expect.any(String),
    },
    {
      toolResponse: {
        toolType: "GOOGLE_SEARCH_WEB",
        response: { search_suggestions: `<div>${query}</div>` },
        id: expect.any(String),
      },
      thoughtSignature: expect.any(String),
    },
  ],
};
