/** Generates sessions of simulated models. Each counts tokens like o200k_base times a factor, and has a prompt outside the session. */

import type { AssistantMessage, Entry, Message, ModelName, ToolCallBlock, Usage } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { createRandom, type Random, randomInteger } from "../random.ts";
import { pick, type TextKind } from "./random-text.ts";
import { countRealTokens } from "./real-tokens.ts";

export interface HiddenModel {
  /** The model's tokens per token of o200k_base. */
  readonly factor: number;
  /** The tokens of system prompt and tools, which are not in the session. */
  readonly promptTokens: number;
}

export interface TokenSessionShape {
  readonly kinds: readonly TextKind[];
  readonly requests: number;
  readonly hiddenModel: HiddenModel;
  readonly seed: number;
}

const MADE_UP_MODEL: ModelName = { api: "made-up", provider: "made-up", model: "made-up" };

/** Generates a user message, then replies that each call a tool, with its results. */
export function generateSession({ kinds, requests, hiddenModel, seed }: TokenSessionShape): readonly Entry[] {
  const randomSource = createRandom(seed);
  const entries: Entry[] = [];
  let promptTokens = hiddenModel.promptTokens;
  const add = (message: Message): void => {
    const id = `e${entries.length + 1}`;
    entries.push({ type: "message", id, parentId: entries.at(-1)?.id ?? null, timestamp: ZERO_TIME, message });
    promptTokens += hiddenModel.factor * countMessageTokens(message);
  };
  add({ role: "user", content: [{ type: "text", text: randomExcerpt(randomSource, kinds, 600) }], timestamp: 0 });
  for (let index = 1; index <= requests; index++) {
    const call = createToolCall(randomSource, kinds, index);
    const text = randomExcerpt(randomSource, kinds, randomInteger(randomSource, 40, 400));
    const reply: AssistantMessage = {
      ...MADE_UP_MODEL,
      role: "assistant",
      content: [{ type: "text", text }, call],
      usage: emptyUsage,
      stopReason: "toolUse",
      timestamp: 0,
    };
    const usage = createUsage(promptTokens, hiddenModel.factor * countMessageTokens(reply));
    add({ ...reply, usage });
    add(createToolResult(call, randomExcerpt(randomSource, kinds, Math.floor(200 * 40 ** randomSource()))));
  }
  return entries;
}

const ZERO_TIME = new Date(0).toISOString();
const CALL_OVERHEAD = 18;
const MESSAGE_OVERHEAD = 6;

function countMessageTokens(message: Message): number {
  if (typeof message.content === "string") return MESSAGE_OVERHEAD + countRealTokens(message.content);
  return message.content.reduce((sum, block) => {
    if (block.type === "toolCall")
      return sum + CALL_OVERHEAD + countRealTokens(block.name + JSON.stringify(block.arguments));
    return sum + (block.type === "text" ? countRealTokens(block.text) : 0);
  }, MESSAGE_OVERHEAD);
}

function randomExcerpt(random: Random, kinds: readonly TextKind[], length: number): string {
  const { text } = pick(random, kinds);
  const start = randomInteger(random, 0, Math.max(0, text.length - length));
  return text.slice(start, start + length).toWellFormed();
}

function createToolCall(random: Random, kinds: readonly TextKind[], index: number): ToolCallBlock {
  const args = {
    path: `src/file-${randomInteger(random, 1, 500)}.ts`,
    pattern: randomExcerpt(random, kinds, randomInteger(random, 5, 200)),
  };
  return { type: "toolCall", id: `call_${index}`, name: "grep", arguments: args };
}

function createToolResult({ id, name }: ToolCallBlock, text: string): Message {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
  };
}

function createUsage(prompt: number, output: number): Usage {
  const [inputTokens, outputTokens] = [Math.round(prompt), Math.round(output)];
  return { ...emptyUsage, input: inputTokens, output: outputTokens, totalTokens: inputTokens + outputTokens };
}
