/** An assistant's and a user's blocks as parts of a prompt. */

import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { AssistantMessage, ImageBlock, ModelName, TextBlock, ToolCallBlock, UserMessage } from "@pith/context";
import type { Beside, Dialect } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/dialect-of.ts";
import { sentName } from "../dialects/inherited-name.ts";
import { servedIn } from "../served/served-block.ts";

type Said<Role> = Extract<LanguageModelV4Message, { role: Role }>;

export interface SaidTo {
  readonly to: ModelName;
  /** Whether it may search again: only then does it take back what it has found. */
  readonly searches: boolean;
}

export function assistantMessage(message: AssistantMessage, { to, searches }: SaidTo): Said<"assistant"> {
  const dialect = dialectOf(to);
  const keepsServed = searches && isFrom(message, to);
  const thinks = message.content.some((block) => block.type === "thinking" && dialect.sentThinking(block).length > 0);
  const content = message.content.flatMap((block) => {
    const served = keepsServed ? servedIn(block) : null;
    const parts = served ? dialect.sentServed(served, { thinks }) : [];
    return parts.length > 0 ? [...parts] : saidParts(block, dialect, { thinks });
  });
  const providerOptions = dialect.sentOptions?.(message);
  return { role: "assistant", content, ...(providerOptions && { providerOptions }) };
}

function isFrom({ api, provider, model }: AssistantMessage, to: ModelName): boolean {
  return api === to.api && provider === to.provider && model === to.model;
}

function saidParts(
  block: AssistantMessage["content"][number],
  dialect: Dialect,
  beside: Beside,
): Said<"assistant">["content"] {
  switch (block.type) {
    case "text":
      return [dialect.sentText(block, beside)];
    case "thinking":
      return [...dialect.sentThinking(block)];
    case "toolCall":
      return [dialect.sentCall(harmlessCall(block), beside)];
  }
}

// A signature of what is sent otherwise than it came would be taken for a forged one.
function harmlessCall(block: ToolCallBlock): ToolCallBlock {
  const name = sentName(block.name);
  const { thoughtSignature, ...unsigned } = block;
  return name === block.name && block.pith === undefined ? block : { ...unsigned, name };
}

export function userMessage({ content }: UserMessage): Said<"user"> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { role: "user", content: blocks.map(shownPart) };
}

export function shownPart(block: TextBlock | ImageBlock): LanguageModelV4TextPart | LanguageModelV4FilePart {
  return block.type === "text" ? { type: "text", text: block.text } : imagePart(block);
}

export function imagePart({ data, mimeType }: ImageBlock): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}
