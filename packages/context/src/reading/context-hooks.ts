/** A host's say in what one request shows: a look at a copy of the context, and another one in its place (B76). The log stays as it is. */

import { answersOf, type Hook, type HookHost } from "../hook.ts";
import type { AgentMessage } from "../message.ts";
import type { Ports } from "../ports.ts";
import type { SessionContext } from "./build-context.ts";

export interface ContextHooks extends HookHost {
  readonly context?: readonly Hook<ContextEvent, ContextResult>[];
}

/** The messages without the system's: those stay as they are. */
export interface ContextEvent {
  readonly type: "context";
  readonly messages: AgentMessage[];
}

export interface ContextResult {
  readonly messages?: readonly AgentMessage[];
}

export type Hooked =
  | { readonly type: "hooked"; readonly context: SessionContext }
  /** A hook that keeps secrets has failed, or somebody gave up. */
  | { readonly type: "cancelled" };

export interface HookedParts {
  readonly hooks: ContextHooks;
  readonly ports: Pick<Ports, "sleep">;
  readonly signal?: AbortSignal;
}

/**
 * The context after hooks have had their say, one after the other, each on a copy of what the one before it left. A
 * message that a hook made has no source.
 */
export async function hookedContext(context: SessionContext, { hooks, ports, signal }: HookedParts): Promise<Hooked> {
  let said = placed(context).filter(({ message }) => message.role !== "system");
  for (const hook of hooks.context ?? []) {
    const copies = said.map(({ message, source }) => ({ message: structuredClone(message), source }));
    const sources = new Map(copies.map(({ message, source }) => [message, source]));
    const { answers, isCancelled } = await answersOf([hook], () => eventOf(copies), {
      host: hooks,
      ports,
      signal,
      read: (result) => messagesIn(result)?.map((message) => taken(message, sources)) ?? null,
    });
    if (isCancelled) return { type: "cancelled" };
    said = answers[0] ?? said;
  }
  const all = hooks.context?.length ? withSystem(placed(context), said) : placed(context);
  return {
    type: "hooked",
    context: { ...context, messages: all.map(({ message }) => message), sources: all.map(({ source }) => source) },
  };
}

interface PlacedMessage {
  readonly message: AgentMessage;
  readonly source: string;
}

function eventOf(copies: readonly PlacedMessage[]): ContextEvent {
  return { type: "context", messages: copies.map(({ message }) => message) };
}

// Copied once more: what the hook holds on to is not what is sent.
function taken(message: AgentMessage, sources: ReadonlyMap<AgentMessage, string>): PlacedMessage {
  return { message: structuredClone(message), source: sources.get(message) ?? "" };
}

function placed({ messages, sources }: SessionContext): readonly PlacedMessage[] {
  return messages.map((message, at) => ({ message, source: sources[at] ?? "" }));
}

// Those that came first stay first; the others stand behind as many messages as before, or at the end.
function withSystem(before: readonly PlacedMessage[], said: readonly PlacedMessage[]): readonly PlacedMessage[] {
  const all = [...said];
  let others = 0;
  let added = 0;
  for (const each of before) {
    if (each.message.role === "system") all.splice(Math.min(others, said.length) + added++, 0, each);
    else others++;
  }
  return all;
}

// It comes from outside: whatever is no message would be refused by every provider.
function messagesIn(result: unknown): readonly AgentMessage[] | null {
  const { messages } = Object(result) as { readonly messages?: unknown };
  if (messages === undefined || messages === null) return null;
  if (!Array.isArray(messages) || ![...messages].every(isMessage))
    throw new Error("its messages are no list of messages");
  return messages;
}

function isMessage(value: unknown): value is AgentMessage {
  const { role, content, summary, blocks, command } = Object(value) as Readonly<Record<string, unknown>>;
  switch (role) {
    case "user":
    case "custom":
      return typeof content === "string" || Array.isArray(content);
    case "assistant":
    case "toolResult":
      return Array.isArray(content);
    case "bashExecution":
      return typeof command === "string";
    case "compactionSummary":
      return typeof summary === "string" && (blocks === undefined || Array.isArray(blocks));
    case "branchSummary":
      return typeof summary === "string";
    default:
      return false;
  }
}
