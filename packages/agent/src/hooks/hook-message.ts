/** A message before it is kept: hooks may put another one in its place, within what a conversation bears. */

import {
  type AssistantMessage,
  answersOf,
  type TextBlock,
  type ToolResultMessage,
  type UserMessage,
} from "@pith/context";
import { NotWritten } from "../append.ts";
import type { RunParts } from "../loop/run-parts.ts";
import { checkSize, isSameJson, soundBlocks, soundContent, soundDetails } from "./sound-content.ts";

export type Kept = UserMessage | AssistantMessage | ToolResultMessage;

type MessageParts = Pick<RunParts, "session" | "hooks" | "ports" | "signal">;

/** Each hook sees what the one before it left, without secrets. Stopped, the message stays as it is. */
export async function hookedMessage<Each extends Kept>(message: Each, parts: MessageParts): Promise<Each> {
  const { session, hooks, ports, signal } = parts;
  let kept = message;
  for (const hook of hooks.message_end ?? []) {
    const read = (result: unknown): Each | null => session.redacted(messageIn(result, kept));
    const asking = { host: hooks, ports, signal, read };
    const told = () => ({ type: "message_end" as const, message: JSON.parse(JSON.stringify(kept)) as Each });
    const { answers, isCancelled } = await answersOf([hook], told, asking);
    if (isCancelled && !signal.aborted) throw new NotWritten(UNWATCHED);
    kept = answers[0] ?? kept;
  }
  return kept;
}

const UNWATCHED = "a hook that watches over every message failed, so it was not kept; mend it, and say it again";

function messageIn<Each extends Kept>(result: unknown, before: Each): Each | null {
  const { message } = Object(result) as { readonly message?: unknown };
  if (message === undefined || message === null) return null;
  const fields = Object(message) as Readonly<Record<string, unknown>>;
  if (fields.role !== before.role) throw new Error(`its message is none of role ${before.role}`);
  return { ...before, ...changes(before, fields) };
}

function changes(before: Kept, fields: Readonly<Record<string, unknown>>): Partial<Kept> {
  switch (before.role) {
    case "user":
      return { content: spoken(soundContent(fields.content)) };
    case "toolResult":
      return resultChanges(before, fields);
    case "assistant":
      sameFields(before, fields);
      return { content: replyContent(before.content, fields.content) };
  }
}

function spoken<Content extends { readonly length: number }>(content: Content): Content {
  if (content.length === 0) throw new Error("its message is empty");
  return content;
}

function resultChanges(
  before: ToolResultMessage,
  { toolCallId, content, details, isError }: Readonly<Record<string, unknown>>,
): Partial<ToolResultMessage> {
  if (toolCallId !== before.toolCallId) throw new Error("its result answers another call");
  return {
    content: soundBlocks(content),
    ...(details !== undefined && { details: soundDetails(details) }),
    ...(typeof isError === "boolean" && { isError }),
  };
}

const FIXED = ["api", "provider", "model", "usage", "stopReason", "timestamp"] as const;

// What was paid, to whom and why it ended is what the provider said.
function sameFields(before: AssistantMessage, fields: Readonly<Record<string, unknown>>): void {
  const changed = FIXED.find((name) => !isSameJson(before[name], fields[name]));
  if (changed) throw new Error(`its reply has another ${changed}`);
}

type ReplyContent = AssistantMessage["content"];

/** Thoughts are signed, and calls are answered: both stay, in their order; words may be others. */
export function replyContent(before: ReplyContent, value: unknown): ReplyContent {
  if (!Array.isArray(value)) throw new Error("its reply has no content");
  checkSize(value);
  const firm = before.filter((block) => block.type !== "text");
  const spare = before.filter((block) => block.type === "text");
  let next = 0;
  const content = Array.from(value, (block: unknown): ReplyContent[number] => {
    if (Object(block).type === "text") return words(spare, block);
    const own = firm[next++];
    if (!own || !isSameJson(own, block)) throw new Error("its reply has other calls or thoughts");
    return own;
  });
  if (next !== firm.length) throw new Error("its reply lacks calls or thoughts");
  if (before[0]?.type === "thinking" && content[0]?.type !== "thinking")
    throw new Error("its reply has something before the first thought");
  return content;
}

// A signature belongs to the words it came with, and providers refuse one that comes twice.
function words(spare: TextBlock[], block: unknown): TextBlock {
  const [{ text }] = soundBlocks([block]) as readonly [TextBlock];
  const at = spare.findIndex((each) => each.text === text);
  const [own] = at < 0 ? [] : spare.splice(at, 1);
  return own ?? { type: "text", text };
}
