/** Every tool result right after its call, every call with exactly one result, on any run of messages; taken in one by one. */

import type { AssistantMessage, Message, ToolCallBlock, ToolResultMessage, UserMessage } from "../message.ts";
import type { ModelName } from "../request.ts";
import { isFrom } from "./sendable.ts";

export interface Pairing {
  /** What is settled. */
  readonly settled: Message[];
  /** The calls whose results may still come, and what came since. */
  exchange: Exchange | null;
  /** How often each call id was sent. */
  readonly used: Map<string, number>;
}

export function emptyPairing(): Pairing {
  return { settled: [], exchange: null, used: new Map() };
}

export function pair(pairing: Pairing, message: Message, to: ModelName | undefined): void {
  const { settled, used } = pairing;
  if (message.role === "assistant") {
    settle(pairing);
    pairing.exchange = opened(message, { used, to });
    if (!pairing.exchange) settled.push(message);
    return;
  }
  const { exchange } = pairing;
  if (exchange && message.role === "toolResult" && answer(exchange, message)) return;
  (exchange?.after ?? settled).push(message.role === "toolResult" ? asText(message) : message);
}

/** Ends the exchange: what has no result by now was sent without one, and bytes already sent are not rewritten. */
export function settle(pairing: Pairing): void {
  for (const message of pairing.exchange ? closed(pairing.exchange) : []) pairing.settled.push(message);
  pairing.exchange = null;
}

/** All of it, with a made-up result for every call that has none yet. */
export function paired({ settled, exchange }: Pairing): readonly Message[] {
  return exchange ? settled.concat(closed(exchange)) : settled.slice();
}

/** An assistant message, its calls in order, and what arrived until the next assistant message. */
interface Exchange {
  readonly message: AssistantMessage;
  readonly calls: readonly OpenCall[];
  readonly after: Message[];
}

interface OpenCall {
  /** The id in the log, by which results name it. */
  readonly loggedId: string;
  readonly call: ToolCallBlock;
  result: ToolResultMessage | null;
}

// CTX4: an id is sent once; a later call that bears it again gets one of its own, and so does its result.
function opened(
  message: AssistantMessage,
  { used, to }: { used: Map<string, number>; to: ModelName | undefined },
): Exchange | null {
  const foreign = to !== undefined && !isFrom(message, to);
  const calls: OpenCall[] = [];
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    const id = freshId(foreign ? neutralId(block.id) : block.id, used);
    calls.push({ loggedId: block.id, call: id === block.id ? block : { ...block, id }, result: null });
  }
  return calls.length === 0 ? null : { message: withCalls(message, calls), calls, after: [] };
}

function withCalls(message: AssistantMessage, calls: readonly OpenCall[]): AssistantMessage {
  if (calls.every(({ call, loggedId }) => call.id === loggedId)) return message;
  let next = 0;
  const content = message.content.map((block) => (block.type === "toolCall" ? (calls[next++]?.call ?? block) : block));
  return { ...message, content };
}

/** Takes the result in, unless nobody in this exchange waits for it. */
function answer({ calls }: Exchange, message: ToolResultMessage): boolean {
  const open = calls.find(({ loggedId, result }) => loggedId === message.toolCallId && result === null);
  if (!open) return false;
  const { id, name } = open.call;
  const fits = message.toolCallId === id && message.toolName === name;
  open.result = fits ? message : { ...message, toolCallId: id, toolName: name };
  return true;
}

function closed({ message, calls, after }: Exchange): readonly Message[] {
  const results = calls.map(({ call, result }) => result ?? missingResult(call, message.timestamp));
  return [message, ...results, ...after];
}

// CTX6: marked, so that nobody takes it for what a tool said.
function missingResult({ id, name }: ToolCallBlock, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text: "There is no result of this call: it was interrupted or its output was lost." }],
    details: { pith: { synthesised: true } },
    isError: true,
    timestamp,
  };
}

// CTX7: its call is gone from the context, or the model has answered without it. Bytes already sent are not rewritten.
function asText({ toolName, toolCallId, content, timestamp }: ToolResultMessage): UserMessage {
  const [tool, call] = [toolName, toolCallId].map(named);
  const lead = `Output of an earlier call of the tool ${tool} (${call}), which came after the conversation had gone on:`;
  return { role: "user", content: [{ type: "text", text: lead }, ...content], timestamp };
}

// A hook may put in what is no name: not everything can be made a text.
function named(name: unknown): string {
  return typeof name === "string" ? name : "unknown";
}

// Another provider's ids may be too long or hold letters that this one refuses; forty letters are welcome everywhere.
function neutralId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40);
}

// OpenAI's ids are a call id and an item id in one, `call|item`; only the first must be the only one of its name.
function freshId(wish: string, used: Map<string, number>): string {
  const bar = wish.indexOf("|");
  const name = (bar === -1 ? wish : wish.slice(0, bar)) || "call";
  const copies = (used.get(name) ?? 0) + 1;
  used.set(name, copies);
  return copies === 1 ? wish || name : freshId(`${name.slice(0, 32)}_${copies}`, used);
}
