/** System, messages and cache marks of a request as one prompt. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { CacheMark, Message, ModelName, Request, ToolResultMessage } from "@pith/context";
import { cacheMark, markedLast, marksOf } from "./cache-marks.ts";
import { toolsByName } from "./declared-tools.ts";
import { assistantMessage, userMessage } from "./said-parts.ts";
import { systemUpdate, type UpdateParts } from "./system-update.ts";
import { resultMessages } from "./tool-results.ts";

export function promptOf(request: Request, to: ModelName): LanguageModelV4Prompt {
  const marks = marksOf(request, to);
  const parts = { to, declared: toolsByName(request) };
  const runs = runsOf(placedMessages(request, marks, parts));
  return [...leading(request, marks), ...runs.flatMap((run) => promptMessages(run, parts))];
}

// One text: templates of many servers take one system message and no more.
function leading({ system }: Request, marks: readonly CacheMark[]): readonly LanguageModelV4Message[] {
  const content = system.map(({ text }) => text).join("\n\n");
  const isMarked = marks.some(({ after }) => after === "system");
  return content.trim() === "" ? [] : [{ role: "system", content, ...(isMarked && cacheMark) }];
}

interface Placed<Each extends Message = Message> {
  readonly message: Each;
  readonly marked: boolean;
}

// A mark on what is not told stands on what was told before it.
function placedMessages({ messages }: Request, marks: readonly CacheMark[], parts: UpdateParts): readonly Placed[] {
  const indices = new Set(marks.flatMap((mark) => (mark.after === "message" ? [mark.index] : [])));
  const placed: Placed[] = [];
  messages.forEach((message, index) => {
    const marked = indices.has(index);
    const last = placed.at(-1);
    if (saysSomething(message, parts)) placed.push({ message, marked });
    else if (marked && last) placed[placed.length - 1] = { ...last, marked };
  });
  return placed;
}

function saysSomething(message: Message, parts: UpdateParts): boolean {
  if (message.role === "system") return systemUpdate(message, parts) !== null;
  return (
    message.content.length > 0 &&
    (message.role !== "assistant" || assistantMessage(message, parts.to).content.length > 0)
  );
}

/** Results that stand together go together. */
function runsOf(placed: readonly Placed[]): readonly (Placed | readonly Placed<ToolResultMessage>[])[] {
  const runs: (Placed | Placed<ToolResultMessage>[])[] = [];
  for (const each of placed) {
    const last = runs.at(-1);
    if (!isResult(each)) runs.push(each);
    else if (Array.isArray(last)) last.push(each);
    else runs.push([each]);
  }
  return runs;
}

function isResult(placed: Placed): placed is Placed<ToolResultMessage> {
  return placed.message.role === "toolResult";
}

function promptMessages(
  run: Placed | readonly Placed<ToolResultMessage>[],
  parts: UpdateParts,
): readonly LanguageModelV4Message[] {
  if (!("message" in run)) return resultMessages(run, parts.to);
  const said = saidMessage(run.message, parts);
  return said ? [run.marked ? markedMessage(said) : said] : [];
}

function saidMessage(message: Message, parts: UpdateParts): LanguageModelV4Message | null {
  switch (message.role) {
    case "system":
      return systemUpdate(message, parts);
    case "user":
      return userMessage(message);
    case "assistant":
      return assistantMessage(message, parts.to);
    case "toolResult":
      return null;
  }
}

function markedMessage(message: LanguageModelV4Message): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { ...message, ...cacheMark };
    case "user":
      return { ...message, content: markedLast(message.content) };
    case "assistant":
      return { ...message, content: markedLast(message.content) };
    case "tool":
      return { ...message, content: markedLast(message.content) };
  }
}
