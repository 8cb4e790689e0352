/** Creates models whose streams behave as a test defines, well or badly. */

import type { AssistantMessage } from "../../src/message.ts";
import type { Model, ModelEvent, Request } from "../../src/model.ts";
import { createSummaryTimeouts } from "../../src/settings.ts";
import type { TimeLimit } from "../../src/summary/limits.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { storyModel } from "../story-context.ts";

/** Creates a model with the given stream. */
export function createModel(stream: Model["stream"], parts: Partial<Model> = {}): Model {
  return { ...storyModel, contextWindow: 200_000, maxTokens: 8_000, stream, ...parts };
}

/** The default limits of each attempt, and a total that is never reached. */
export const defaultTime: TimeLimit = {
  ...createSummaryTimeouts(),
  totalExpired: new AbortController().signal,
  mayRetrySlowAttempt: true,
};

export const billedUsage = {
  ...emptyUsage,
  input: 10,
  output: 2,
  totalTokens: 12,
  cost: { ...emptyUsage.cost, total: 0.5 },
};

export function assistantMessage(parts: Partial<AssistantMessage> = {}): AssistantMessage {
  const content = [{ type: "text" as const, text: "the record" }];
  return { role: "assistant", content, ...storyModel, usage: billedUsage, stopReason: "stop", timestamp: 0, ...parts };
}

export const delta: ModelEvent = { type: "text-delta", text: "x" };

export function replyEnded(parts: Partial<AssistantMessage> = {}): ModelEvent {
  return { type: "reply-ended", message: assistantMessage(parts) };
}

/** Creates a model that answers each request with the result of a function. */
export function createAnsweringModel(
  answer: (request: Request, index: number) => string,
  parts: Partial<Model> = {},
): Model {
  let count = 0;
  return createModel(async function* (request) {
    yield replyEnded({ content: [{ type: "text", text: answer(request, count++) }] });
  }, parts);
}

/** Returns the text of the only user message of a request. */
export function requestText({ messages }: Request): string {
  const [first] = messages;
  const content = first?.role === "user" ? first.content : [];
  return typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");
}
