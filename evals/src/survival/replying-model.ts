/** Creates a model for evals whose reply is a function of the request. */

import type { Model, Request } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";

export const REPLYING_MODEL = { api: "anthropic-messages", provider: "eval", model: "replying" };

export function createReplyingModel(reply: (request: Request) => string, contextWindow = 200_000): Model {
  return {
    ...REPLYING_MODEL,
    contextWindow,
    maxTokens: 8_000,
    async *stream(request) {
      const content = [{ type: "text" as const, text: reply(request) }];
      const message = { role: "assistant" as const, ...REPLYING_MODEL, content, usage: emptyUsage, timestamp: 0 };
      yield { type: "reply-ended" as const, message: { ...message, stopReason: "stop" as const } };
    },
  };
}

/** The text of all user messages of a request. */
export function requestUserText({ messages }: Request): string {
  return messages
    .flatMap(({ role, content }) => (role === "user" ? [content] : []))
    .map((content) =>
      typeof content === "string"
        ? content
        : content.map((block) => (block.type === "text" ? block.text : "")).join("\n"),
    )
    .join("\n\n");
}

/** Whether the check of the summary has marked a line as unconfirmed. */
export function isMarked(line: string): boolean {
  return /\((?:unconfirmed|not from the user)\)$/.test(line.trimEnd());
}

export type SummaryLines = Partial<Readonly<Record<"goal" | "constraints" | "done" | "context", readonly string[]>>>;

/** Renders a complete summary with these lines, in the sections that the request asks for. */
export function renderReply(request: Request, lines: SummaryLines): string {
  const text = requestUserText(request);
  const parts = [
    ...(text.includes("## Goal") ? [renderSummary(lines)] : []),
    ...(text.includes("## Original Request") ? [renderTurnSummary(lines)] : []),
  ];
  return parts.join("\n\n---\n\n**Turn Context (split turn):**\n\n");
}

function renderSummary({ goal, constraints, done, context }: SummaryLines): string {
  return `## Goal
${renderList(goal)}

## Constraints & Preferences
${renderList(constraints)}

## Progress
### Done
${renderList(done?.map((line) => `[x] ${line}`))}

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. (none)

## Critical Context
${renderList(context)}`;
}

function renderTurnSummary({ goal, constraints, done, context }: SummaryLines): string {
  return `## Original Request
${renderList([...(goal ?? []), ...(constraints ?? [])])}

## Early Progress
${renderList(done)}

## Context for Suffix
${renderList(context)}`;
}

function renderList(lines: readonly string[] = []): string {
  return lines.length === 0 ? "- (none)" : lines.map((line) => `- ${line}`).join("\n");
}
