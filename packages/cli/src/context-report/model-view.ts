/** Lists what the model sees now, message by message as it is sent, each with its place in the context. */

import {
  type AssistantMessage,
  buildSessionContext,
  convertToLlm,
  type LoadedBranch,
  type Message,
  type ModelName,
  type SystemMessage,
  type UserMessage,
} from "@pith/context";
import { readSummaryParts } from "@pith/context/host";

export interface SeenText {
  readonly who: string;
  readonly text: string;
}

export function seenText(message: Message): SeenText {
  switch (message.role) {
    case "system":
      return { who: "system", text: systemText(message) };
    case "user":
      return { who: isPrograms(message) ? PROGRAM : "you", text: contentText(message.content) };
    case "assistant":
      return { who: "model", text: message.content.map(replyText).join("\n") };
    case "toolResult":
      return { who: `result of ${message.toolName}`, text: contentText(message.content) };
  }
}

function systemText({ content, sections = {}, toolsAdded = [] }: SystemMessage): string {
  const named = Object.entries(sections).map(([name, text]) => `[${name}]\n${text ?? "(gone)"}`);
  const tools = toolsAdded.map(({ name }) => name).join(", ");
  return [contentText(content), ...named, ...(tools === "" ? [] : [`Tools: ${tools}`])]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function isPrograms(message: UserMessage): boolean {
  return Object((message as { readonly pith?: unknown }).pith).from === "program";
}

function contentText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

function replyText(block: AssistantMessage["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.redacted ? "(thinking, not to be read)" : `(thinking) ${block.thinking}`;
    case "toolCall":
      return `calls ${block.name} ${JSON.stringify(block.arguments)}`;
  }
}

export interface SeenPart {
  readonly place: SeenPlace;
  /** Who says it, for people. */
  readonly who: string;
  readonly text: string;
}

/** `said`: nothing was compacted, so that all of it stands as it was said. */
export type SeenPlace = "system" | "pins" | "words" | "checkpoint" | "kept" | "new" | "said";

export function seenParts(window: LoadedBranch, to: ModelName | undefined): readonly SeenPart[] {
  const { messages, sources } = buildSessionContext(window);
  const since = new Set(window.entries.slice(window.compactionIndex + 1).map(({ id }) => id));
  const firstNew = sources.findIndex((id) => since.has(id));
  const keptCount = firstNew === -1 ? Number.POSITIVE_INFINITY : convertToLlm(messages.slice(0, firstNew), to).length;
  const hasFront = window.compactionIndex >= 0;
  const sent = convertToLlm(messages, to);
  const front = hasFront ? sent.findIndex(({ role }) => role === "user") : -1;
  return sent.flatMap((message, at) => {
    if (message.role === "system") return [{ place: "system" as const, ...seenText(message) }];
    if (at === front) return frontSeen(message, window);
    const place: SeenPlace = at < keptCount ? "kept" : "new";
    return [{ place: hasFront ? place : ("said" as const), ...seenText(message) }];
  });
}

/** It is sent in blocks: what stays for long is one each, the checkpoint is the last. */
function frontSeen(message: Message, { entries, compactionIndex: compactionAt }: LoadedBranch): readonly SeenPart[] {
  const compaction = entries[compactionAt];
  const kinds = compaction?.type === "compaction" ? readSummaryParts(compaction).map(({ kind }) => kind) : [];
  const places = [...kinds.filter(isStable), "checkpoint" as const];
  const blocks = typeof message.content === "string" ? [] : message.content;
  if (blocks.length !== places.length) return [{ place: "checkpoint", ...seenText(message), who: PROGRAM }];
  return blocks.map((block, at) => ({
    place: places[at] ?? "checkpoint",
    who: PROGRAM,
    text: block.type === "text" ? block.text : "",
  }));
}

const PROGRAM = "Pith, in your place";

function isStable(kind: string): kind is "pins" | "words" {
  return kind === "pins" || kind === "words";
}
