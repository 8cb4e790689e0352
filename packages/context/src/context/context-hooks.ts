/** Runs the hooks that may replace the messages of one request (B76). They get copies; the log stays as it is. */

import { answersOf, type Hook, type HookHost } from "../hooks.ts";
import type { AgentMessage } from "../message.ts";
import type { Ports } from "../runtime.ts";
import type { SessionContext } from "./build-context.ts";

/** Hooks that may replace the messages of one request. */
export interface ContextHooks extends HookHost {
  readonly context?: readonly Hook<ContextEvent, ContextResult>[];
  /** Asked behind those: they may replace the system's messages, too. */
  readonly context_with_system?: readonly Hook<ContextWithSystemEvent, ContextResult>[];
}

/** The messages without the system's: those stay as they are. */
export interface ContextEvent {
  readonly type: "context";
  readonly messages: AgentMessage[];
}

/** All of them, the system's included. */
export interface ContextWithSystemEvent {
  readonly type: "context_with_system";
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
  const parts = { hooks, ports, ...(signal && { signal }) };
  const { context: own = [], context_with_system: whole = [] } = hooks;
  const before = placed(context);
  const others = before.filter(({ message }) => message.role !== "system");
  const said = await asked(others, own, { ...parts, type: "context" });
  if (!said) return { type: "cancelled" };
  const joined = own.length > 0 ? withSystem(before, said) : before;
  const all = await asked(joined, whole, { ...parts, type: "context_with_system" });
  if (!all) return { type: "cancelled" };
  return {
    type: "hooked",
    context: { ...context, messages: all.map(({ message }) => message), sources: all.map(({ source }) => source) },
  };
}

interface Asked extends HookedParts {
  readonly type: "context" | "context_with_system";
}

type AnyHook = Hook<ContextEvent | ContextWithSystemEvent, ContextResult>;

/** What they left, one after the other; null where it does not happen. */
async function asked<Event extends ContextEvent | ContextWithSystemEvent>(
  before: readonly PlacedMessage[],
  hooks: readonly Hook<Event, ContextResult>[],
  { type, hooks: host, ports, signal }: Asked,
): Promise<readonly PlacedMessage[] | null> {
  let said = before;
  for (const hook of hooks as readonly AnyHook[]) {
    const copies = said.map(({ message, source }) => ({ message: structuredClone(message), source }));
    const sources = new Map(copies.map(({ message, source }) => [message, source]));
    const isKnown = type === "context" ? isMessage : isAnyMessage;
    const { answers, isCancelled } = await answersOf(
      [hook],
      () => ({ type, messages: copies.map(({ message }) => message) }),
      {
        host,
        ports,
        signal,
        read: (result) => messagesIn(result, isKnown)?.map((message) => taken(message, sources)) ?? null,
      },
    );
    if (isCancelled) return null;
    said = answers[0] ?? said;
  }
  return said;
}

interface PlacedMessage {
  readonly message: AgentMessage;
  readonly source: string;
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
function messagesIn(result: unknown, isKnown: (value: unknown) => boolean): readonly AgentMessage[] | null {
  const { messages } = Object(result) as { readonly messages?: unknown };
  if (messages === undefined || messages === null) return null;
  if (!Array.isArray(messages) || ![...messages].every(isKnown))
    throw new Error("its messages are no list of messages");
  return messages;
}

function isAnyMessage(value: unknown): value is AgentMessage {
  const { role, content, sections, toolsAdded, toolsRemoved } = Object(value) as Readonly<Record<string, unknown>>;
  if (role !== "system") return isMessage(value);
  const isSpoken = typeof content === "string" || areWords(content);
  const areTools = [toolsAdded, toolsRemoved].every((tools) => tools === undefined || areNamed(tools));
  return isSpoken && areTools && (sections === undefined || areTexts(sections));
}

function areNamed(tools: unknown): boolean {
  return Array.isArray(tools) && Array.from(tools).every((tool: unknown) => typeof Object(tool).name === "string");
}

function areTexts(sections: unknown): boolean {
  if (typeof sections !== "object" || sections === null || Array.isArray(sections)) return false;
  return Object.values(sections).every((text) => text === null || typeof text === "string");
}

function areWords(content: unknown): boolean {
  const isText = (block: unknown): boolean => typeof Object(block).text === "string" && Object(block).type === "text";
  return Array.isArray(content) && Array.from(content).every(isText);
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
