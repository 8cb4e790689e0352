/** Prepares one message for a provider: nothing empty, failed or ill-formed is sent; reasoning goes byte for byte or not at all. */

import type {
  AssistantMessage,
  Block,
  ImageBlock,
  Message,
  SystemMessage,
  TextBlock,
  ToolCallBlock,
  ToolResultMessage,
  UserMessage,
} from "../message.ts";
import type { ModelName } from "../model.ts";

/** Null for a message that cannot be sent at all. A message that is fine as it is comes back as the same object. */
export function sendable(message: Message, to: ModelName | undefined): Message | null {
  switch (message.role) {
    case "system":
      return sendableSystem(message);
    case "user":
      return sendableUser(message, to);
    case "assistant":
      return sendableAssistant(message, to);
    case "toolResult":
      return sendableResult(message, to);
  }
}

/** Whether a model said it itself: then signatures and call ids go back as they came. */
export function isFrom(message: AssistantMessage, { api, provider, model }: ModelName): boolean {
  return message.model === model && message.provider === provider && message.api === api;
}

function sendableSystem(message: SystemMessage): SystemMessage | null {
  const { content, sections, toolsAdded, toolsRemoved, ...rest } = message;
  const clean: SystemMessage = {
    ...rest,
    content: typeof content === "string" ? (isBlank(content) ? "" : content) : mapped(listOf(content), shownSystemText),
    ...(isPlainObject(sections) && { sections: textsIn(sections) }),
    ...(Array.isArray(toolsAdded) && { toolsAdded: toolsAdded.filter(isNamed) }),
    ...(Array.isArray(toolsRemoved) && { toolsRemoved: toolsRemoved.filter(isNamed) }),
  };
  const says = clean.content.length > 0 || clean.sections || clean.toolsAdded || clean.toolsRemoved;
  return says ? wellFormed(clean) : null;
}

function shownSystemText(block: TextBlock): TextBlock | null {
  return block?.type === "text" ? shownText(block) : UNKNOWN_BLOCK;
}

function textsIn(sections: Readonly<Record<string, unknown>>): NonNullable<SystemMessage["sections"]> {
  return Object.fromEntries(
    Object.entries(sections).filter(([, text]) => text === null || typeof text === "string"),
  ) as NonNullable<SystemMessage["sections"]>;
}

function isNamed(tool: { readonly name?: unknown } | null): boolean {
  return typeof tool?.name === "string";
}

function sendableUser(message: UserMessage, to: ModelName | undefined): UserMessage | null {
  if (typeof message.content === "string") {
    if (isBlank(message.content)) return null;
    return message.content.isWellFormed() ? message : { ...message, content: message.content.toWellFormed() };
  }
  const content = mapped(listOf(message.content), (block) => withoutMark(shownBlock(block, to)));
  if (content.length === 0) return null;
  return content === message.content ? message : { ...message, content };
}

function sendableResult(message: ToolResultMessage, to: ModelName | undefined): ToolResultMessage {
  const shown = mapped(listOf(message.content), (block) => shownBlock(block, to));
  const content = shown.length > 0 ? shown : [{ type: "text" as const, text: "(no output)" }];
  return content === message.content ? message : { ...message, content };
}

// CTX5: signatures belong to the model that made them; to another one, and without one, reasoning is not sent.
function sendableAssistant(message: AssistantMessage, to: ModelName | undefined): AssistantMessage | null {
  if (message.stopReason === "error" || message.stopReason === "aborted") return null;
  const own = to === undefined || isFrom(message, to);
  const blocks = listOf(message.content);
  const thinks = own && reasoningHolds(blocks);
  const content = mapped(blocks, (block) => saidBlock(block, { own, thinks }));
  if (content.every((block) => block.type === "thinking")) return null;
  return content === message.content ? message : { ...message, content };
}

function saidBlock(
  block: AssistantMessage["content"][number],
  { own, thinks }: { own: boolean; thinks: boolean },
): AssistantMessage["content"][number] | null {
  switch (block?.type) {
    case "thinking":
      return thinks ? block : null;
    case "text":
      return shownText(own || isPlain(block) ? block : { type: "text", text: block.text });
    case "toolCall":
      return sendableCall(own || block.thoughtSignature === undefined ? block : withoutSignature(block));
  }
  return UNKNOWN_BLOCK;
}

// Files are not checked block by block: a newer program may have kinds of its own, and hands may have left anything.
const UNKNOWN_BLOCK = null;

/** Nothing in it is meant for the model alone that made it: a signature, or what its provider found. */
function isPlain(block: TextBlock): boolean {
  return block.textSignature === undefined && !("pith" in block);
}

// Providers refuse reasoning that was cut off in its middle: it must be signed, and something must follow it.
function reasoningHolds(content: AssistantMessage["content"]): boolean {
  const lastSaid = content.findLastIndex(
    (block) =>
      (block?.type === "toolCall" && sendableCall(block) !== null) ||
      (block?.type === "text" && shownText(block) !== null),
  );
  return content.every(
    (block, at) =>
      block?.type !== "thinking" || (at < lastSaid && !!block.thinkingSignature && isWellFormedText(block.thinking)),
  );
}

function sendableCall(call: ToolCallBlock): ToolCallBlock | null {
  if (typeof call.id !== "string" || typeof call.name !== "string") return null;
  const name = /^[a-zA-Z0-9_-]{1,64}$/.test(call.name) ? call.name : nameOf(call.name);
  const args = isPlainObject(call.arguments) ? wellFormed(call.arguments) : {};
  // A signature of what is sent otherwise than it came would be taken for a forged one.
  return name === call.name && args === call.arguments ? call : { ...withoutSignature(call), name, arguments: args };
}

function nameOf(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function withoutSignature({ thoughtSignature: _, ...call }: ToolCallBlock): ToolCallBlock {
  return call;
}

function shownBlock(block: TextBlock | ImageBlock, to: ModelName | undefined): TextBlock | ImageBlock | null {
  switch (block?.type) {
    case "text":
      return shownText(block);
    case "image":
      return isSendableImage(block, to) ? block : { type: "text", text: "[an image of a kind that cannot be sent]" };
  }
  return UNKNOWN_BLOCK;
}

// WORD2: the mark of an attachment is for us; providers refuse fields that they do not know.
function withoutMark(block: TextBlock | ImageBlock | null): TextBlock | ImageBlock | null {
  if (block?.pith?.attachment === undefined) return block;
  const { pith: _, ...sent } = block;
  return sent;
}

function shownText(block: TextBlock): TextBlock | null {
  if (typeof block.text !== "string" || isBlank(block.text)) return null;
  return block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() };
}

function isSendableImage({ data, mimeType }: ImageBlock, to: ModelName | undefined): boolean {
  if (typeof data !== "string" || data === "" || data.startsWith("data:")) return false;
  return SENDABLE_IMAGES.has(mimeType) && !(mimeType === "image/gif" && to?.api === "google-generative-ai");
}

const SENDABLE_IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

// A hook may return anything in the place of a list.
function listOf<Each>(content: readonly Each[]): readonly Each[] {
  return Array.isArray(content) ? content : [];
}

/** The same list if no block changes, so that the common case costs no memory. */
function mapped<Each extends Block>(blocks: readonly Each[], change: (block: Each) => Each | null): readonly Each[] {
  if (blocks.every((block) => block !== null && change(block) === block)) return blocks;
  return blocks.map(change).filter((block) => block !== null);
}

function wellFormed<Value>(value: Value): Value {
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const clean = entries.map(([name, each]) => [wellFormed(name), wellFormed(each)] as const);
  if (clean.every(([name, each], at) => name === entries[at]?.[0] && each === entries[at]?.[1])) return value;
  return (Array.isArray(value) ? clean.map(([, each]) => each) : Object.fromEntries(clean)) as Value;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isWellFormedText = (text: unknown): boolean => typeof text === "string" && text.isWellFormed();
const isBlank = (text: string): boolean => !/\S/.test(text);
