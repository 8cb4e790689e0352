/** Lists the messages that the model gets with the next request, each with its place in the context. */

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

function toModelViewText(message: Message): { readonly who: string; readonly text: string } {
  switch (message.role) {
    case "system":
      return { who: "system", text: formatSystemMessage(message) };
    case "user":
      return { who: isFromProgram(message) ? PROGRAM_LABEL : "you", text: formatContent(message.content) };
    case "assistant":
      return { who: "model", text: message.content.map(formatReplyBlock).join("\n") };
    case "toolResult":
      return { who: `${message.toolName} result`, text: formatContent(message.content) };
  }
}

function formatSystemMessage({ content, sections = {}, toolsAdded = [] }: SystemMessage): string {
  const sectionTexts = Object.entries(sections).map(([name, text]) => `[${name}]\n${text ?? "(removed)"}`);
  const tools = toolsAdded.map(({ name }) => name).join(", ");
  return [formatContent(content), ...sectionTexts, ...(tools === "" ? [] : [`Tools: ${tools}`])]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function isFromProgram(message: UserMessage): boolean {
  return Object((message as { readonly pith?: unknown }).pith).from === "program";
}

function formatContent(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

function formatReplyBlock(block: AssistantMessage["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.redacted ? "(thinking, encrypted)" : `(thinking) ${block.thinking}`;
    case "toolCall":
      return `calls ${block.name} ${JSON.stringify(block.arguments)}`;
  }
}

export interface ModelViewPart {
  readonly place: ContextPlace;
  /** The author, shown to the user. */
  readonly who: string;
  readonly text: string;
}

/** `conversation`: there is no compaction, so every message is verbatim. */
export type ContextPlace = "system" | "pins" | "user-messages" | "summary" | "kept" | "recent" | "conversation";

export function buildModelView(branch: LoadedBranch, model: ModelName | undefined): readonly ModelViewPart[] {
  const { messages, sources } = buildSessionContext(branch);
  const newIds = new Set(branch.entries.slice(branch.compactionIndex + 1).map(({ id }) => id));
  const firstNew = sources.findIndex((id) => newIds.has(id));
  const keptCount =
    firstNew === -1 ? Number.POSITIVE_INFINITY : convertToLlm(messages.slice(0, firstNew), model).length;
  const hasCompaction = branch.compactionIndex >= 0;
  const sentMessages = convertToLlm(messages, model);
  const summaryIndex = hasCompaction ? sentMessages.findIndex(({ role }) => role === "user") : -1;
  return sentMessages.flatMap((message, index) => {
    if (message.role === "system") return [{ place: "system" as const, ...toModelViewText(message) }];
    if (index === summaryIndex) return splitSummary(message, branch);
    const place: ContextPlace = index < keptCount ? "kept" : "recent";
    return [{ place: hasCompaction ? place : ("conversation" as const), ...toModelViewText(message) }];
  });
}

/** Splits the summary message into its blocks: one for each stable part (pins, the user's messages), and the rest last. */
function splitSummary(message: Message, { entries, compactionIndex }: LoadedBranch): readonly ModelViewPart[] {
  const compaction = entries[compactionIndex];
  const kinds = compaction?.type === "compaction" ? readSummaryParts(compaction).map(({ kind }) => kind) : [];
  const places = [...kinds.flatMap((kind) => STABLE_PARTS.get(kind) ?? []), "summary" as const];
  const blocks = typeof message.content === "string" ? [] : message.content;
  if (blocks.length !== places.length) return [{ place: "summary", ...toModelViewText(message), who: PROGRAM_LABEL }];
  return blocks.map((block, index) => ({
    place: places[index] ?? "summary",
    who: PROGRAM_LABEL,
    text: block.type === "text" ? block.text : "",
  }));
}

const PROGRAM_LABEL = "Pith (as a user message)";

/** The places of the parts that do not change between compactions, by the kind that the log stores. */
const STABLE_PARTS: ReadonlyMap<string, ContextPlace> = new Map([
  ["pins", "pins"],
  ["words", "user-messages"],
]);
