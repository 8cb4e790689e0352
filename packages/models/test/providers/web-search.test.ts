/** Tests the provider's own web search over HTTP with the real provider packages. */

import {
  type AssistantMessage,
  compact,
  compactionLimits,
  createBudget,
  type Message,
  type Model,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import {
  type Reply,
  type ReplyPart,
  type ScriptRequest,
  type SearchPart,
  startServer,
  type TestServer,
} from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { encryptPage } from "../../../testkit/src/protocols/anthropic/reply.ts";
import { readServerToolRun, supportsWebSearch } from "../../src/convert/index.ts";
import { webSearch } from "../../src/index.ts";
import { type Endpoint, endpoints, modelOf, modelRequests, TestConversation } from "./protocols.ts";

const ROUNDS = 5;

/** The endpoints whose provider has its own search. */
const searchers: readonly Endpoint[] = endpoints.filter(({ provider }) => provider !== "openrouter");

const found: SearchPart = {
  type: "search",
  query: 'how do "leases" expire?',
  results: [
    { title: "Leases, told [shortly]", url: "https://example.org/leases" },
    { title: null, url: "https://example.org/untitled" },
  ],
};

/** Text, search and text in one reply, with thinking around them. */
function scriptRound({ number }: Pick<ScriptRequest, "number">): Reply {
  const searching: readonly ReplyPart[] = number === 2 ? [found, { type: "thinking", text: "That helps." }] : [];
  const thinking: ReplyPart = { type: "thinking", text: `Round ${number}.` };
  const textBlock = { type: "text", text: `Now ${number}.` } as const;
  const call = { type: "call", name: "read", arguments: { path: `${number}.txt` } } as const;
  const after: readonly ReplyPart[] = number === 2 ? [{ type: "text", text: "Found it." }] : [];
  return { parts: [thinking, textBlock, ...searching, ...after, ...(number % ROUNDS === 0 ? [] : [call])] };
}

async function startConversation(): Promise<TestConversation> {
  const conversation = await TestConversation.begin("low");
  await declare(conversation, { toolsAdded: [webSearch] });
  await conversation.say("Work, and look it up.");
  return conversation;
}

async function declare(
  conversation: TestConversation,
  change: Pick<Extract<Message, { role: "system" }>, "toolsAdded" | "toolsRemoved">,
): Promise<void> {
  await conversation.note({ type: "message", message: { role: "system", content: "", ...change, timestamp: 0 } });
}

async function work(conversation: TestConversation, models: readonly Model[]): Promise<readonly AssistantMessage[]> {
  const replies: AssistantMessage[] = [];
  for (const model of models) {
    const reply = await conversation.ask(model);
    replies.push(reply);
    await conversation.answer(reply);
  }
  return replies;
}

/** The outcome of every request, or the reason of its refusal. */
function outcomes(server: TestServer): readonly string[] {
  return modelRequests(server).map(({ why, outcome }) => why ?? outcome);
}

/** The messages and tools of a request, without cache marks, which move. */
function sent(server: TestServer, at: number): { readonly tools: unknown; readonly messages: readonly unknown[] } {
  const { messages, input, contents, tools } = (modelRequests(server).at(at)?.body ?? {}) as Record<
    string,
    readonly unknown[]
  >;
  return JSON.parse(JSON.stringify({ tools, messages: messages ?? input ?? contents ?? [] }), (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}

/** Every object with this field in a value. */
function findObjectsWith(value: unknown, field: string): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((each) => findObjectsWith(each, field));
  return field in value ? [value as Record<string, unknown>, ...inside] : inside;
}

let server: TestServer;
afterEach(() => server.close());

const LINE = '\n[searched the web for "how do "leases" expire?"';

describe.each(searchers)("$provider", (endpoint) => {
  test("NAT1 stores a search in the second of five rounds as text in its place; later requests are accepted", async () => {
    const { replies } = await searched(endpoint);
    expect(outcomes(server)).toEqual(Array.from({ length: ROUNDS }, () => "said"));
    const blockKinds = replies[1]?.content
      .filter(({ type }) => type === "text")
      .map((block) => "text" in block && block.text);
    expect(blockKinds).toEqual(["Now 2.", expect.stringContaining(LINE), "Found it."]);
    expect(replies[1]?.content.filter((block) => readServerToolRun(block))).toHaveLength(1);
  });

  test("NAT2 every request begins with the whole previous request, the search included", async () => {
    await searched(endpoint);
    for (let at = 1; at < ROUNDS; at += 1) {
      const [before, after] = [sent(server, at - 1), sent(server, at)];
      expect(after.tools).toEqual(before.tools);
      expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    }
  });

  test("NAT3 sends the results back to the model that searched, byte for byte", async () => {
    await searched(endpoint);
    expect(raw(endpoint, sent(server, -1).messages)).toEqual(foundBy[endpoint.provider]);
  });

  test("NAT5 sends the results back again after another provider replied; the other one gets a line of text", async () => {
    server = await startServer({ script: ({ number }) => scriptRound({ number: ((number - 1) % 4) + 1 }) });
    const own = await modelOf(endpoint, server);
    for (const other of endpoints.filter(({ provider }) => provider !== endpoint.provider)) {
      await work(await startConversation(), [own, own, await modelOf(other, server), own]);
      const [elsewhere, again] = [sent(server, -2), sent(server, -1)];
      expect(raw(endpoint, elsewhere.messages)).toEqual([]);
      expect(JSON.stringify(elsewhere.messages)).toContain("searched the web for");
      expect(raw(endpoint, again.messages)).toEqual(foundBy[endpoint.provider]);
    }
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT6 does not declare a removed search, and sends its results as text", async () => {
    const { conversation, model } = await searched(endpoint);
    expect(declared()).toBe(1);
    await declare(conversation, { toolsRemoved: [webSearch] });
    await conversation.say("Go on without it.");
    await work(conversation, [model]);
    expect(declared()).toBe(0);
    expect(raw(endpoint, sent(server, -1).messages)).toEqual([]);
    expect(JSON.stringify(sent(server, -1).messages)).toContain("searched the web for");
    await declare(conversation, { toolsAdded: [webSearch] });
    await conversation.say("And with it again.");
    await work(conversation, [model]);
    expect(raw(endpoint, sent(server, -1).messages)).toEqual(foundBy[endpoint.provider]);
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT7 keeps the search enabled after a compaction; requests are accepted", async () => {
    const { conversation, model } = await searched(endpoint);
    for (let at = 0; at < 8; at += 1) {
      await conversation.say(`Another thing, number ${at}. ${"Here is a lot to read. ".repeat(400)}`);
      await work(conversation, [model]);
    }
    const budget = createBudget(compactionLimits, { contextWindow: 20_000 });
    const outcome = await compact({ session: conversation.session, budget, reason: "asked", runtime: nodeRuntime });
    expect(outcome.type).toBe("compacted");
    await conversation.say("What now?");
    await work(conversation, [model]);
    expect(declared()).toBe(1);
    expect(outcomes(server).every((outcome) => outcome === "said")).toBe(true);
  });

  test("NAT8 records a search that fails or finds nothing, and continues", async () => {
    const failing = { ...found, results: [], error: "max_uses_exceeded" };
    server = await startServer({
      script: ({ number }) => {
        if (number > 2) return "done";
        const search = number === 1 ? failing : { ...found, results: [] };
        return { parts: [{ type: "thinking", text: "hm" }, search, { type: "text", text: "So be it." }] };
      },
    });
    const model = await modelOf(endpoint, server);
    const conversation = await startConversation();
    for (const question of ["Look.", "Again.", "Well?"]) {
      await conversation.ask(model);
      await conversation.say(question);
    }
    expect(outcomes(server)).toEqual(["said", "said", "said"]);
  });

  test("NAT8 accepts a reply that was cut off during thinking after its search", async () => {
    server = await startServer({
      script: ({ number }) =>
        number === 1
          ? { parts: [{ type: "thinking", text: "hm" }, found, { type: "thinking", text: "so" }], stop: "length" }
          : "done",
    });
    const model = await modelOf(endpoint, server);
    const conversation = await startConversation();
    await conversation.ask(model);
    await conversation.say("Go on.");
    await conversation.ask(model);
    expect(outcomes(server)).toEqual(["said", "said"]);
    expect(JSON.stringify(sent(server, -1).messages)).toMatch(/searched the web|encrypted_content|toolResponse/);
  });
});

test("NAT4 does not declare or mention the search to providers without one", async () => {
  server = await startServer({ script: () => "ok" });
  const [elsewhere] = endpoints.filter(({ provider }) => provider === "openrouter");
  const older: Endpoint = { provider: "google", model: "gemini-2.5-pro", path: "/v1beta" };
  for (const endpoint of [elsewhere, older] as readonly Endpoint[]) {
    const model = await modelOf(endpoint, server);
    const conversation = await TestConversation.begin("off");
    await conversation.say("Hello.");
    await conversation.ask(model);
    await declare(conversation, { toolsAdded: [webSearch] });
    await conversation.say("Look it up.");
    await conversation.ask(model);
    expect(supportsWebSearch(model)).toBe(false);
    expect(JSON.stringify(modelRequests(server).at(-1)?.body)).not.toMatch(/web_search|google_?search/i);
  }
});

async function searched(endpoint: Endpoint) {
  server = await startServer({ script: scriptRound });
  const model = await modelOf(endpoint, server);
  const conversation = await startConversation();
  const replies = await work(
    conversation,
    Array.from({ length: ROUNDS }, () => model),
  );
  return { conversation, model, replies };
}

/** How often the newest request declares a search of the provider's own. */
function declared(): number {
  const tools = sent(server, -1).tools as readonly Record<string, unknown>[];
  return tools.filter(({ type, googleSearch }) => googleSearch || String(type).startsWith("web_search")).length;
}

/** What a provider wants back of a search, in its own spelling. */
function raw({ provider }: Endpoint, messages: readonly unknown[]): readonly unknown[] {
  if (provider === "anthropic")
    return findObjectsWith(messages, "encrypted_content").filter(({ url }) => url !== undefined);
  if (provider === "openai") return findObjectsWith(messages, "action");
  return [...findObjectsWith(messages, "toolCall"), ...findObjectsWith(messages, "toolResponse")];
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
