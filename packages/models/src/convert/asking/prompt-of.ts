/** System, messages and cache marks of a request as one prompt. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { CacheMark, Message, ModelName, Request, Tool } from "@pith/context";
import { declaredSearch } from "../served/own-search.ts";
import { cacheMark, markedLast, marksOf } from "./cache-marks.ts";
import { assistantMessage, type SaidTo, userMessage } from "./said-parts.ts";
import { systemUpdate, type UpdateParts } from "./system-update.ts";
import { type GivenResult, resultMessages } from "./tool-results.ts";

export function promptOf(request: Request, to: ModelName): LanguageModelV4Prompt {
  const marks = marksOf(request, to);
  const runs = runsOf(placedMessages(request, marks, { to, searches: declaredSearch(request, to) !== null }));
  return [...leading(request, marks), ...runs.flatMap((run) => promptMessages(run, to))];
}

// One text: templates of many servers take one system message and no more.
function leading({ system }: Request, marks: readonly CacheMark[]): readonly LanguageModelV4Message[] {
  const content = system.map(({ text }) => text).join("\n\n");
  const isMarked = marks.some(({ after }) => after === "system");
  return content.trim() === "" ? [] : [{ role: "system", content, ...(isMarked && cacheMark) }];
}

interface Said {
  readonly said: LanguageModelV4Message;
  readonly marked: boolean;
}

type Placed = Said | GivenResult;

// A mark on what is not told stands on what was told before it.
function placedMessages({ messages, tools }: Request, marks: readonly CacheMark[], saidTo: SaidTo): readonly Placed[] {
  const indices = new Set(marks.flatMap((mark) => (mark.after === "message" ? [mark.index] : [])));
  const told = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]));
  const placed: Placed[] = [];
  messages.forEach((message, index) => {
    const marked = indices.has(index);
    const last = placed.at(-1);
    const said = saidMessage(message, { ...saidTo, told });
    if (message.role === "toolResult") placed.push({ message, marked });
    else if (said) placed.push({ said, marked });
    else if (marked && last) placed[placed.length - 1] = { ...last, marked };
    if (message.role === "system") for (const tool of message.toolsAdded ?? []) told.set(tool.name, tool);
  });
  return placed;
}

/** Null for what says nothing, and for results, which are told together. */
function saidMessage(message: Message, parts: UpdateParts & SaidTo): LanguageModelV4Message | null {
  switch (message.role) {
    case "system":
      return systemUpdate(message, parts);
    case "user":
      return message.content.length === 0 ? null : userMessage(message);
    case "assistant": {
      const said = assistantMessage(message, parts);
      return said.content.length === 0 ? null : said;
    }
    case "toolResult":
      return null;
  }
}

/** Results that stand together go together. */
function runsOf(placed: readonly Placed[]): readonly (Said | readonly GivenResult[])[] {
  const runs: (Said | GivenResult[])[] = [];
  for (const each of placed) {
    const last = runs.at(-1);
    if ("said" in each) runs.push(each);
    else if (Array.isArray(last)) last.push(each);
    else runs.push([each]);
  }
  return runs;
}

function promptMessages(run: Said | readonly GivenResult[], to: ModelName): readonly LanguageModelV4Message[] {
  if (!("said" in run)) return resultMessages(run, to);
  return [run.marked ? markedMessage(run.said) : run.said];
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
