/** A talk in which the provider searches the web: five rounds, the search in the second of them. */

import type { AssistantMessage, Message, Model } from "@pith/context";
import type { Reply, ReplyPart, ScriptRequest, SearchPart, TestServer } from "@pith/testkit";
import { webSearch } from "../../src/index.ts";
import { asked, Talk, type Voice, voices } from "./protocols.ts";

export const ROUNDS = 5;

/** Those whose provider has a search of its own. */
export const searchers: readonly Voice[] = voices.filter(({ provider }) => provider !== "openrouter");

export const found: SearchPart = {
  type: "search",
  query: 'how do "leases" expire?',
  results: [
    { title: "Leases, told [shortly]", url: "https://example.org/leases" },
    { title: null, url: "https://example.org/untitled" },
  ],
};

/** Text, search and text in one reply, thoughts around them. */
export function round({ number }: Pick<ScriptRequest, "number">): Reply {
  const searching: readonly ReplyPart[] = number === 2 ? [found, { type: "thinking", text: "That helps." }] : [];
  const thinking: ReplyPart = { type: "thinking", text: `Round ${number}.` };
  const said = { type: "text", text: `Now ${number}.` } as const;
  const call = { type: "call", name: "read", arguments: { path: `${number}.txt` } } as const;
  const after: readonly ReplyPart[] = number === 2 ? [{ type: "text", text: "Found it." }] : [];
  return { parts: [thinking, said, ...searching, ...after, ...(number % ROUNDS === 0 ? [] : [call])] };
}

export async function begun(): Promise<Talk> {
  const talk = await Talk.begin("low");
  await declare(talk, { toolsAdded: [webSearch] });
  await talk.say("Work, and look it up.");
  return talk;
}

export async function declare(
  talk: Talk,
  change: Pick<Extract<Message, { role: "system" }>, "toolsAdded" | "toolsRemoved">,
): Promise<void> {
  await talk.note({ type: "message", message: { role: "system", content: "", ...change, timestamp: 0 } });
}

export async function work(talk: Talk, models: readonly Model[]): Promise<readonly AssistantMessage[]> {
  const replies: AssistantMessage[] = [];
  for (const model of models) {
    const reply = await talk.ask(model);
    replies.push(reply);
    await talk.answer(reply);
  }
  return replies;
}

/** What came of every request; a refusal in the provider's words. */
export function outcomes(server: TestServer): readonly string[] {
  return asked(server).map(({ why, outcome }) => why ?? outcome);
}

/** The conversation and the tools of a request, without the marks that move. */
export function sent(
  server: TestServer,
  at: number,
): { readonly tools: unknown; readonly messages: readonly unknown[] } {
  const { messages, input, contents, tools } = (asked(server).at(at)?.body ?? {}) as Record<string, readonly unknown[]>;
  return JSON.parse(JSON.stringify({ tools, messages: messages ?? input ?? contents ?? [] }), (name, value) =>
    name === "cache_control" ? undefined : value,
  );
}

/** Every object in what was sent that has this field. */
export function holding(value: unknown, field: string): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((each) => holding(each, field));
  return field in value ? [value as Record<string, unknown>, ...inside] : inside;
}
