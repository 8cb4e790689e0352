/** Runs the hooks that may replace the messages of one request (B76). Hooks get copies; the log does not change. */

import { type Hook, type HookHost, runHooks } from "../hooks.ts";
import type { AgentMessage } from "../message.ts";
import type { Runtime } from "../runtime.ts";
import type { SessionContext } from "./build-context.ts";

/** Hooks that may replace the messages in one request. */
export interface ContextHooks extends HookHost {
  readonly context?: readonly Hook<ContextEvent, ContextResult>[];
  /** Run after the `context` hooks; they may also replace system messages. */
  readonly context_with_system?: readonly Hook<ContextWithSystemEvent, ContextResult>[];
}

/** The messages in a request, without system messages. */
export interface ContextEvent {
  readonly type: "context";
  readonly messages: AgentMessage[];
}

/** The messages in a request, including system messages. */
export interface ContextWithSystemEvent {
  readonly type: "context_with_system";
  readonly messages: AgentMessage[];
}

/** The messages that replace those of the event; absent to keep them. */
export interface ContextResult {
  readonly messages?: readonly AgentMessage[];
}

/** The context after the hooks, or a cancellation. */
export type ContextHookResult =
  | { readonly type: "ready"; readonly context: SessionContext }
  /** Aborted, or a hook failed and the host cancels on failure. */
  | { readonly type: "cancelled" };

/** Options for `applyContextHooks`. */
export interface ContextHookOptions {
  readonly hooks: ContextHooks;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly signal?: AbortSignal;
}

/** Runs the hooks one after another, each on a copy of the previous result. A message that a hook adds has an empty source. */
export async function applyContextHooks(
  context: SessionContext,
  { hooks, runtime, signal }: ContextHookOptions,
): Promise<ContextHookResult> {
  const options = { hooks, runtime, ...(signal && { signal }) };
  const { context: contextHooks = [], context_with_system: systemHooks = [] } = hooks;
  const originals = context.messages.map((message, index) => ({ message, source: context.sources[index] ?? "" }));
  const withoutSystem = originals.filter(({ message }) => message.role !== "system");
  const replaced = await runContextHooks(withoutSystem, contextHooks, { ...options, type: "context" });
  if (!replaced) return { type: "cancelled" };
  const combined = contextHooks.length > 0 ? insertSystemMessages(originals, replaced) : originals;
  const final = await runContextHooks(combined, systemHooks, { ...options, type: "context_with_system" });
  if (!final) return { type: "cancelled" };
  return {
    type: "ready",
    context: { ...context, messages: final.map(({ message }) => message), sources: final.map(({ source }) => source) },
  };
}

type AnyContextHook = Hook<ContextEvent | ContextWithSystemEvent, ContextResult>;

/** Runs hooks one after another and returns the resulting messages, or null if the request is cancelled. */
async function runContextHooks<Event extends ContextEvent | ContextWithSystemEvent>(
  messages: readonly MessageAndSource[],
  hooks: readonly Hook<Event, ContextResult>[],
  { type, hooks: host, runtime, signal }: ContextHookOptions & { readonly type: "context" | "context_with_system" },
): Promise<readonly MessageAndSource[] | null> {
  let current = messages;
  for (const hook of hooks as readonly AnyContextHook[]) {
    const copies = current.map(({ message, source }) => ({ message: structuredClone(message), source }));
    const sources = new Map(copies.map(({ message, source }) => [message, source]));
    const isValid = type === "context" ? isNonSystemMessage : isMessageOrSystem;
    const { answers, isCancelled } = await runHooks(
      [hook],
      () => ({ type, messages: copies.map(({ message }) => message) }),
      {
        host,
        runtime,
        signal,
        read: (result) => parseMessages(result, isValid)?.map((message) => copyWithSource(message, sources)) ?? null,
      },
    );
    if (isCancelled) return null;
    current = answers[0] ?? current;
  }
  return current;
}

interface MessageAndSource {
  readonly message: AgentMessage;
  readonly source: string;
}

// The message is copied again, so that the hook cannot change it later.
function copyWithSource(message: AgentMessage, sources: ReadonlyMap<AgentMessage, string>): MessageAndSource {
  return { message: structuredClone(message), source: sources.get(message) ?? "" };
}

// Each system message keeps the number of messages before it, or moves to the end.
function insertSystemMessages(
  originals: readonly MessageAndSource[],
  replaced: readonly MessageAndSource[],
): readonly MessageAndSource[] {
  const all = [...replaced];
  let otherCount = 0;
  let addedCount = 0;
  for (const original of originals) {
    if (original.message.role === "system")
      all.splice(Math.min(otherCount, replaced.length) + addedCount++, 0, original);
    else otherCount++;
  }
  return all;
}

// Providers reject a request with an invalid message, so the result of a hook is checked.
function parseMessages(result: unknown, isValid: (value: unknown) => boolean): readonly AgentMessage[] | null {
  const { messages } = Object(result) as { readonly messages?: unknown };
  if (messages === undefined || messages === null) return null;
  if (!Array.isArray(messages) || ![...messages].every(isValid))
    throw new Error("the hook returned `messages` that are not an array of valid messages");
  return messages;
}

function isMessageOrSystem(value: unknown): value is AgentMessage {
  const { role, content, sections, toolsAdded, toolsRemoved } = Object(value) as Readonly<Record<string, unknown>>;
  if (role !== "system") return isNonSystemMessage(value);
  const hasText = typeof content === "string" || areTextBlocks(content);
  const hasValidTools = [toolsAdded, toolsRemoved].every((tools) => tools === undefined || areNamedTools(tools));
  return hasText && hasValidTools && (sections === undefined || areSystemSections(sections));
}

function areNamedTools(tools: unknown): boolean {
  return Array.isArray(tools) && Array.from(tools).every((tool: unknown) => typeof Object(tool).name === "string");
}

function areSystemSections(sections: unknown): boolean {
  if (typeof sections !== "object" || sections === null || Array.isArray(sections)) return false;
  return Object.values(sections).every((text) => text === null || typeof text === "string");
}

function areTextBlocks(content: unknown): boolean {
  const isText = (block: unknown): boolean => typeof Object(block).text === "string" && Object(block).type === "text";
  return Array.isArray(content) && Array.from(content).every(isText);
}

function isNonSystemMessage(value: unknown): value is AgentMessage {
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
