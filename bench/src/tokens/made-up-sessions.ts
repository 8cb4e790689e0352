/** Makes sessions of made-up models: each counts like o200k_base times a factor, and gets a prompt that no log holds. */

import type { AssistantMessage, Entry, Message, ModelName, ToolCallBlock, Usage } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { between, type Random, random } from "../random.ts";
import { type Kind, pick } from "./random-text.ts";
import { realTokens } from "./real-tokens.ts";

export interface HiddenModel {
  /** Its tokens for one of o200k_base. */
  readonly factor: number;
  /** Its tokens for the prompt and the tools besides the log. */
  readonly prompt: number;
}

export interface SessionShape {
  readonly kinds: readonly Kind[];
  readonly requests: number;
  readonly hidden: HiddenModel;
  readonly seed: number;
}

export const madeUpModel: ModelName = { api: "made-up", provider: "made-up", model: "made-up" };

/** A user, a model that calls a tool with every reply, and what the tool says. */
export function madeUpSession({ kinds, requests, hidden, seed }: SessionShape): readonly Entry[] {
  const next = random(seed);
  const entries: Entry[] = [];
  let prompt = hidden.prompt;
  const add = (message: Message): void => {
    const id = `e${entries.length + 1}`;
    entries.push({ type: "message", id, parentId: entries.at(-1)?.id ?? null, timestamp: NEVER, message });
    prompt += hidden.factor * messageCost(message);
  };
  add({ role: "user", content: [{ type: "text", text: piece(next, kinds, 600) }], timestamp: 0 });
  for (let at = 1; at <= requests; at++) {
    const call = callOf(next, kinds, at);
    const text = piece(next, kinds, between(next, 40, 400));
    const reply: AssistantMessage = {
      ...madeUpModel,
      role: "assistant",
      content: [{ type: "text", text }, call],
      usage: emptyUsage,
      stopReason: "toolUse",
      timestamp: 0,
    };
    const usage = usageOf(prompt, hidden.factor * messageCost(reply));
    add({ ...reply, usage });
    add(resultOf(call, piece(next, kinds, Math.floor(200 * 40 ** next()))));
  }
  return entries;
}

const NEVER = new Date(0).toISOString();
const CALL_FRAME = 18;
const MESSAGE_FRAME = 6;

function messageCost(message: Message): number {
  if (typeof message.content === "string") return MESSAGE_FRAME + realTokens(message.content);
  return message.content.reduce((sum, block) => {
    if (block.type === "toolCall") return sum + CALL_FRAME + realTokens(block.name + JSON.stringify(block.arguments));
    return sum + (block.type === "text" ? realTokens(block.text) : 0);
  }, MESSAGE_FRAME);
}

function piece(next: Random, kinds: readonly Kind[], length: number): string {
  const { text } = pick(next, kinds);
  const start = between(next, 0, Math.max(0, text.length - length));
  return text.slice(start, start + length).toWellFormed();
}

function callOf(next: Random, kinds: readonly Kind[], at: number): ToolCallBlock {
  const args = { path: `src/file-${between(next, 1, 500)}.ts`, pattern: piece(next, kinds, between(next, 5, 200)) };
  return { type: "toolCall", id: `call_${at}`, name: "grep", arguments: args };
}

function resultOf({ id, name }: ToolCallBlock, text: string): Message {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
  };
}

function usageOf(prompt: number, output: number): Usage {
  const [input, said] = [Math.round(prompt), Math.round(output)];
  return { ...emptyUsage, input, output: said, totalTokens: input + said };
}
