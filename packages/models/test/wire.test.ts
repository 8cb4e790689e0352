/** Whole conversations over each protocol: a server that checks what it is sent takes everything back as it came. */

import type { AssistantMessage, Message, Model, Request, SystemMessage } from "@pith/context";
import { type Script, startServer, type TestServer } from "@pith/testkit";
import { describe, expect, test } from "vitest";
import { eventsOf, lastOf, modelAt, names } from "./served.ts";
import { picture, requestOf, result, tool, user } from "./support/messages.ts";

const script: Script = [
  {
    parts: [
      { type: "thinking", text: "I should look at both." },
      { type: "text", text: "Looking." },
      { type: "call", name: "read", arguments: { path: "a", lines: [1, 2] } },
      { type: "call", name: "read", arguments: { path: "b" } },
    ],
  },
  {
    parts: [
      { type: "thinking", text: "Now I know.\n\nIt is plain." },
      { type: "text", text: "They are the same." },
    ],
  },
  "Goodbye.",
];

describe.each(names)("$api", (name) => {
  test("MOD9 sends thinking, calls and results back unchanged, and each request extends the one before", async () => {
    await withServer(script, async (server) => {
      const chat = conversation(modelAt(server.url, name));
      const first = await chat.ask(user([{ type: "text", text: "Compare these." }, picture]));
      expect(first.content.map(({ type }) => type)).toEqual(["thinking", "text", "toolCall", "toolCall"]);
      expect(first).toMatchObject({ stopReason: "toolUse", timestamp: 1_000_000, ...name });
      await chat.ask(...resultsFor(first));
      await chat.ask(brief, user("Thanks."));
      expect(server.requests.map(({ outcome, why }) => why ?? outcome)).toEqual(["said", "said", "said"]);
      const sent = server.requests.map(({ body }) => conversationIn(body));
      sent.slice(1).forEach((later, at) => {
        expect(later.slice(0, sent[at]?.length)).toEqual(sent[at]);
      });
    });
  });

  test("MOD9 yields deltas, then the complete reply", async () => {
    await withServer(script, async (server) => {
      const events = await eventsOf(modelAt(server.url, name), requestOf([user("Hi.")], settings));
      const last = events.at(-1);
      const [thinking, text, call] = last?.type === "reply-ended" ? last.message.content : [];
      expect(joined(events, "thinking-delta")).toBe((thinking as { thinking?: string }).thinking);
      expect(joined(events, "text-delta")).toBe((text as { text?: string }).text);
      const json = events.flatMap((event) =>
        event.type === "tool-call-delta" && event.index === 0 ? [event.json] : [],
      );
      expect(JSON.parse(json.join(""))).toEqual((call as { arguments?: unknown }).arguments);
      expect(events.filter(({ type }) => type.startsWith("reply-"))).toHaveLength(1);
    });
  });

  test("MOD9 reports the usage that the server counted, with its cost", async () => {
    const usage = { input: 1000, cacheRead: 400, cacheWrite: 0, output: 50 };
    await withServer([{ parts: [{ type: "text", text: "Hi." }], usage }], async (server) => {
      const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 };
      const last = await lastOf(modelAt(server.url, name, { prices }), requestOf([user("Hi.")], settings));
      expect(last).toMatchObject({
        message: { usage: { input: 1000, cacheRead: 400, output: 50, totalTokens: 1450 } },
      });
      const cost = last?.type === "reply-ended" ? last.message.usage.cost.total : 0;
      expect(cost).toBeCloseTo(0.00154, 10);
    });
  });
});

test("CNV10 marks the last tool, the last system block and the last block of each marked message for Anthropic", async () => {
  await withServer(script, async (server) => {
    const [name = { api: "", provider: "", model: "" }] = names;
    const cacheMarks: Request["cacheMarks"] = [
      { after: "tools" },
      { after: "system" },
      { after: "message", index: 0 },
      { after: "message", index: 1 },
    ];
    const messages = [user("One."), user([{ type: "text", text: "Two." }, picture])];
    await lastOf(modelAt(server.url, name), requestOf(messages, { ...settings, cacheMarks }));
    const body = server.requests[0]?.body as Readonly<Record<"tools" | "system" | "messages", readonly object[]>>;
    const mark = { cache_control: { type: "ephemeral" } };
    expect(body.tools.at(-1)).toMatchObject(mark);
    expect(body.system).toMatchObject([mark]);
    expect(body.messages).toMatchObject([
      { content: [{ text: "One.", ...mark }, { text: "Two." }, { type: "image", ...mark }] },
    ]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });
});

const settings: Partial<Request> = {
  system: [{ name: "prompt", text: "You help." }],
  tools: [tool("bash"), tool("read")],
  thinking: "low",
};

const brief: SystemMessage = {
  role: "system",
  content: "Be brief from here on.",
  toolsRemoved: [{ name: "bash" }],
  timestamp: 0,
};

function resultsFor({ content }: AssistantMessage): readonly Message[] {
  return content.flatMap((block) =>
    block.type === "toolCall" ? [result(block.id, [{ type: "text", text: "same" }, picture])] : [],
  );
}

function conversation(model: Model): { readonly ask: (...messages: readonly Message[]) => Promise<AssistantMessage> } {
  const messages: Message[] = [];
  return {
    ask: async (...more) => {
      messages.push(...more);
      const last = await lastOf(model, requestOf([...messages], settings));
      if (last?.type !== "reply-ended") throw new Error(JSON.stringify(last));
      messages.push(last.message);
      return last.message;
    },
  };
}

function conversationIn(body: unknown): readonly unknown[] {
  const { messages, input, contents } = body as Readonly<Record<string, readonly unknown[] | undefined>>;
  return messages ?? input ?? contents ?? [];
}

function joined(events: readonly { readonly type: string; readonly text?: string }[], type: string): string {
  return events.map((event) => (event.type === type ? (event.text ?? "") : "")).join("");
}

async function withServer(script: Script, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ script: script });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}
