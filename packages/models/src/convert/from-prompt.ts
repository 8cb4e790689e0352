/** Converts an AI SDK prompt to our messages, for programs that call Pith through the AI SDK. */

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelName,
  SystemSection,
  TextBlock,
  ToolResultMessage,
} from "@pith/context";
import { emptyDraft } from "./draft.ts";
import { messageOf } from "./reply-message.ts";
import { fold } from "./reply-stream.ts";

export interface Conversation {
  readonly system: readonly SystemSection[];
  readonly messages: readonly Message[];
}

/** `from` is taken for the model that gave all replies: a prompt does not say. */
export function messagesOf(prompt: LanguageModelV4Prompt, from: ModelName): Conversation {
  const said = prompt.findIndex(({ role }) => role !== "system");
  const leading = prompt.slice(0, said === -1 ? prompt.length : said);
  return {
    system: leading.map((message, index) => ({
      name: index === 0 ? "prompt" : `prompt ${index + 1}`,
      text: message.content as string,
    })),
    messages: prompt.slice(leading.length).flatMap((message) => messagesIn(message, from)),
  };
}

function messagesIn(message: LanguageModelV4Message, from: ModelName): readonly Message[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content, timestamp: 0 }];
    case "user":
      return [{ role: "user", content: message.content.map(shownBlock), timestamp: 0 }];
    case "assistant":
      return [reply(message, from)];
    case "tool":
      return message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []));
  }
}

type Said = Extract<LanguageModelV4Message, { role: "assistant" }>;

// A reply in a prompt is a stream that has come: the same fold reads it.
function reply({ content }: Said, from: ModelName): AssistantMessage {
  const draft = content.flatMap(streamOf).reduce(fold, emptyDraft());
  const calls = draft.blocks.some(({ kind }) => kind === "call");
  return messageOf(draft, { from, stopReason: calls ? "toolUse" : "stop", timestamp: 0 });
}

function streamOf(part: Said["content"][number], index: number): readonly LanguageModelV4StreamPart[] {
  const id = String(index);
  const beside = "providerOptions" in part && part.providerOptions ? { providerMetadata: part.providerOptions } : {};
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id, ...beside },
        { type: "text-delta", id, delta: part.text },
      ];
    case "reasoning":
      return [
        { type: "reasoning-start", id, ...beside },
        { type: "reasoning-delta", id, delta: part.text },
      ];
    case "tool-call": {
      const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input ?? {});
      const { toolCallId, toolName, providerExecuted = false } = part;
      return [{ type: "tool-call", toolCallId, toolName, input, providerExecuted, ...beside }];
    }
    case "file":
    case "reasoning-file":
    case "custom":
      return [];
    case "tool-result":
      return servedResult(part, beside);
  }
}

/** In a reply it stands for what a tool of the provider's own has found. */
function servedResult(
  { toolCallId, toolName, output }: LanguageModelV4ToolResultPart,
  beside: { readonly providerMetadata?: SharedV4ProviderOptions },
): readonly LanguageModelV4StreamPart[] {
  if ((output.type !== "json" && output.type !== "error-json") || output.value === null) return [];
  const isError = output.type === "error-json";
  return [{ type: "tool-result", toolCallId, toolName, result: output.value, isError, ...beside }];
}

function resultOf({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): ToolResultMessage {
  const isError = output.type.startsWith("error-") || output.type === "execution-denied";
  return { role: "toolResult", toolCallId, toolName, content: outputBlocks(output), isError, timestamp: 0 };
}

function outputBlocks(output: LanguageModelV4ToolResultOutput): readonly (TextBlock | ImageBlock)[] {
  switch (output.type) {
    case "text":
    case "error-text":
      return [{ type: "text", text: output.value }];
    case "json":
    case "error-json":
      return [{ type: "text", text: JSON.stringify(output.value) }];
    case "execution-denied":
      return [{ type: "text", text: output.reason ?? "The call was not allowed." }];
    case "content":
      return output.value.flatMap((part) => (part.type === "custom" ? [] : [shownBlock(part)]));
  }
}

function shownBlock(
  part: { readonly type: "text"; readonly text: string } | LanguageModelV4FilePart,
): TextBlock | ImageBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mediaType } = part;
  if (data.type === "text") return { type: "text", text: data.text };
  if (data.type !== "data" || !mediaType.startsWith("image/")) return { type: "text", text: `[a file: ${mediaType}]` };
  return { type: "image", data: base64(data.data), mimeType: mediaType };
}

function base64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}
