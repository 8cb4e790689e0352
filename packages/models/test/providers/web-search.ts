/** A conversation of five rounds in which the provider searches the web in the second, for tests. */

import type { AssistantMessage, Message, Model } from "@pith/context";
import type { Reply, ReplyPart, ScriptRequest, SearchPart, TestServer } from "@pith/testkit";
import { webSearch } from "../../src/index.ts";
import { type Endpoint, endpoints, modelRequests, TestConversation } from "./protocols.ts";

export const ROUNDS = 5;

/** The endpoints whose provider has its own search. */
export const searchers: readonly Endpoint[] = endpoints.filter(({ provider }) => provider !== "openrouter");

export const found: SearchPart = {
  type: "search",
  query: 'how do "leases" expire?',
  results: [
    { title: "Leases, told [shortly]", url: "https://example.org/leases" },
    { title: null, url: "https://example.org/untitled" },
  ],
};

/** Text, search and text in one reply, with thinking around them. */
export function scriptRound({ number }: Pick<ScriptRequest, "number">): Reply {
  const searching: readonly ReplyPart[] = number === 2 ? [found, { type: "thinking", text: "That helps." }] : [];
  const thinking: ReplyPart = { type: "thinking", text: `Round ${number}.` };
  const textBlock = { type: "text", text: `Now ${number}.` } as const;
  const call = { type: "call", name: "read", arguments: { path: `${number}.txt` } } as const;
  const after: readonly ReplyPart[] = number === 2 ? [{ type: "text", text: "Found it." }] : [];
  return { parts: [thinking, textBlock, ...searching, ...after, ...(number % ROUNDS === 0 ? [] : [call])] };
}

export async function startConversation(): Promise<TestConversation> {
  const conversation = await TestConversation.begin("low");
  await declare(conversation, { toolsAdded: [webSearch] });
  await conversation.say("Work, and look it up.");
  return conversation;
}

export async function declare(
  conversation: TestConversation,
  change: Pick<Extract<Message, { role: "system" }>, "toolsAdded" | "toolsRemoved">,
): Promise<void> {
  await conversation.note({ type: "message", message: { role: "system", content: "", ...change, timestamp: 0 } });
}

export async function work(
  conversation: TestConversation,
  models: readonly Model[],
): Promise<readonly AssistantMessage[]> {
  const replies: AssistantMessage[] = [];
  for (const model of models) {
    const reply = await conversation.ask(model);
    replies.push(reply);
    await conversation.answer(reply);
  }
  return replies;
}

/** The outcome of every request, or the reason of its refusal. */
export function outcomes(server: TestServer): readonly string[] {
  return modelRequests(server).map(({ why, outcome }) => why ?? outcome);
}

/** The messages and tools of a request, without cache marks, which move. */
export function sent(
  server: TestServer,
  at: number,
): { readonly tools: unknown; readonly messages: readonly unknown[] } {
  const { messages, input, contents, tools } = (modelRequests(server).at(at)?.body ?? {}) as Record<
    string,
    readonly unknown[]
  >;
  return JSON.parse(JSON.stringify({ tools, messages: messages ?? input ?? contents ?? [] }), (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}

/** Every object with this field in a value. */
export function findObjectsWith(value: unknown, field: string): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((each) => findObjectsWith(each, field));
  return field in value ? [value as Record<string, unknown>, ...inside] : inside;
}
