/** Models of all manners, good and bad: what a stream does is up to the test. */

import type { AssistantMessage } from "../../src/message.ts";
import type { Model, ModelEvent, Request } from "../../src/model.ts";
import { createSummaryTimeouts } from "../../src/settings.ts";
import type { TimeLimit } from "../../src/summary/time-limit.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { storyteller } from "../told.ts";

/** It says no word of its own. */
export function modelOf(stream: Model["stream"], parts: Partial<Model> = {}): Model {
  return { ...storyteller, contextWindow: 200_000, maxTokens: 8_000, stream, ...parts };
}

/** The usual limits of each attempt, and a total that is never used up. */
export const usualTime: TimeLimit = {
  ...createSummaryTimeouts(),
  totalExpired: new AbortController().signal,
  mayRetrySlowAttempt: true,
};

export const paid = {
  ...emptyUsage,
  input: 10,
  output: 2,
  totalTokens: 12,
  cost: { ...emptyUsage.cost, total: 0.5 },
};

export function said(parts: Partial<AssistantMessage> = {}): AssistantMessage {
  const content = [{ type: "text" as const, text: "the record" }];
  return { role: "assistant", content, ...storyteller, usage: paid, stopReason: "stop", timestamp: 0, ...parts };
}

export const delta: ModelEvent = { type: "text-delta", text: "x" };

export function ended(parts: Partial<AssistantMessage> = {}): ModelEvent {
  return { type: "reply-ended", message: said(parts) };
}

/** A model that gives each question to a function; what it answers is said. */
export function answering(answer: (request: Request, at: number) => string, parts: Partial<Model> = {}): Model {
  let asked = 0;
  return modelOf(async function* (request) {
    yield ended({ content: [{ type: "text", text: answer(request, asked++) }] });
  }, parts);
}

/** The one user message of a question. */
export function textOf({ messages }: Request): string {
  const [first] = messages;
  const content = first?.role === "user" ? first.content : [];
  return typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");
}
