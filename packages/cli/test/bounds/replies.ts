/** Replies that never end or are far too large, as scripts for the test server in each of the four wire protocols. */

import type { ProtocolName, Reply, ReplyPart } from "@pith/testkit";

export const wires: readonly ProtocolName[] = [
  "anthropic-messages",
  "openai-responses",
  "openai-completions",
  "google-generative-ai",
];

/** The model to ask for, so that the program speaks this protocol. */
export const models: Readonly<Record<ProtocolName, string>> = {
  "anthropic-messages": "anthropic/claude-sonnet-4-5",
  "openai-responses": "openai/gpt-5.1",
  "openai-completions": "openai-chat/gpt-4.1",
  "google-generative-ai": "google/gemini-2.5-flash",
};

export type Kind = "text" | "thinking" | "call";

/** How many events come before the first delta of the first part. Google sends calls whole. */
const FIRST_DELTA: Readonly<Record<ProtocolName, Readonly<Record<Kind, number>>>> = {
  "anthropic-messages": { text: 3, thinking: 3, call: 3 },
  "openai-responses": { text: 4, thinking: 4, call: 3 },
  "openai-completions": { text: 1, thinking: 1, call: 2 },
  "google-generative-ai": { text: 0, thinking: 0, call: 0 },
};

export interface Flood {
  readonly wire: ProtocolName;
  readonly kind: Kind;
  /** Characters in one delta. */
  readonly chunk: number;
  /** Without end unless said. */
  readonly times?: number;
}

/** Repeats the first delta of a reply. */
export function flood({ wire, kind, chunk, times }: Flood): Reply {
  const breaks = { how: "repeat" as const, after: FIRST_DELTA[wire][kind], ...(times !== undefined && { times }) };
  return { parts: [partOf(kind, chunk), { type: "text", text: "The end." }], pace: { chunk }, breaks };
}

function partOf(kind: Kind, chunk: number): ReplyPart {
  const words = "lorem ipsum dolor ".repeat(Math.ceil(chunk / 18)).slice(0, chunk);
  switch (kind) {
    case "text":
      return { type: "text", text: words };
    case "thinking":
      return { type: "thinking", text: words };
    case "call":
      // The first delta opens a string that is never closed.
      return { type: "call", name: "write", arguments: { content: words, path: "a.txt" } };
  }
}

/** One event whose line never ends. */
export const longLine: Reply = { parts: [{ type: "text", text: "Hello." }], breaks: { how: "long-line", after: 1 } };
