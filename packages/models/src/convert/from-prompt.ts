/** Converts an AI SDK prompt to Pith messages, for programs that call Pith through the AI SDK. */

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
import { emptyDraft } from "./reply-draft.ts";
import { buildAssistantMessage } from "./reply-message.ts";
import { applyStreamPart } from "./reply-stream.ts";

export interface Conversation {
  readonly system: readonly SystemSection[];
  readonly messages: readonly Message[];
}

/** `modelName` is recorded as the model of all replies, since a prompt does not name it. */
export function fromPrompt(prompt: LanguageModelV4Prompt, modelName: ModelName): Conversation {
  const firstConversationIndex = prompt.findIndex(({ role }) => role !== "system");
  const systemMessages = prompt.slice(0, firstConversationIndex === -1 ? prompt.length : firstConversationIndex);
  return {
    system: systemMessages.map((message, index) => ({
      name: index === 0 ? "prompt" : `prompt ${index + 1}`,
      text: message.content as string,
    })),
    messages: prompt.slice(systemMessages.length).flatMap((message) => fromPromptMessage(message, modelName)),
  };
}

function fromPromptMessage(message: LanguageModelV4Message, modelName: ModelName): readonly Message[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content, timestamp: 0 }];
    case "user":
      return [{ role: "user", content: message.content.map(toContentBlock), timestamp: 0 }];
    case "assistant":
      return [fromAssistantMessage(message, modelName)];
    case "tool":
      return message.content.flatMap((part) => (part.type === "tool-result" ? [toToolResultMessage(part)] : []));
  }
}

type AssistantPromptMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

// A reply is converted to stream parts, so that the reducer of streams reads it.
function fromAssistantMessage({ content }: AssistantPromptMessage, modelName: ModelName): AssistantMessage {
  const draft = content.flatMap(toStreamParts).reduce(applyStreamPart, emptyDraft());
  const hasCalls = draft.blocks.some(({ kind }) => kind === "call");
  return buildAssistantMessage(draft, { modelName, stopReason: hasCalls ? "toolUse" : "stop", timestamp: 0 });
}

function toStreamParts(
  part: AssistantPromptMessage["content"][number],
  index: number,
): readonly LanguageModelV4StreamPart[] {
  const id = String(index);
  const metadata = "providerOptions" in part && part.providerOptions ? { providerMetadata: part.providerOptions } : {};
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id, ...metadata },
        { type: "text-delta", id, delta: part.text },
      ];
    case "reasoning":
      return [
        { type: "reasoning-start", id, ...metadata },
        { type: "reasoning-delta", id, delta: part.text },
      ];
    case "tool-call": {
      const input = typeof part.input === "string" ? part.input : JSON.stringify(part.input ?? {});
      const { toolCallId, toolName, providerExecuted = false } = part;
      return [{ type: "tool-call", toolCallId, toolName, input, providerExecuted, ...metadata }];
    }
    case "file":
    case "reasoning-file":
    case "custom":
      return [];
    case "tool-result":
      return toServerToolResultParts(part, metadata);
  }
}

/** A tool result inside a reply is the result of a provider tool. */
function toServerToolResultParts(
  { toolCallId, toolName, output }: LanguageModelV4ToolResultPart,
  metadata: { readonly providerMetadata?: SharedV4ProviderOptions },
): readonly LanguageModelV4StreamPart[] {
  if ((output.type !== "json" && output.type !== "error-json") || output.value === null) return [];
  const isError = output.type === "error-json";
  return [{ type: "tool-result", toolCallId, toolName, result: output.value, isError, ...metadata }];
}

function toToolResultMessage({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): ToolResultMessage {
  const isError = output.type.startsWith("error-") || output.type === "execution-denied";
  return { role: "toolResult", toolCallId, toolName, content: toOutputBlocks(output), isError, timestamp: 0 };
}

function toOutputBlocks(output: LanguageModelV4ToolResultOutput): readonly (TextBlock | ImageBlock)[] {
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
      return output.value.flatMap((part) => (part.type === "custom" ? [] : [toContentBlock(part)]));
  }
}

function toContentBlock(
  part: { readonly type: "text"; readonly text: string } | LanguageModelV4FilePart,
): TextBlock | ImageBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mediaType } = part;
  if (data.type === "text") return { type: "text", text: data.text };
  if (data.type !== "data" || !mediaType.startsWith("image/")) return { type: "text", text: `[file: ${mediaType}]` };
  return { type: "image", data: toBase64(data.data), mimeType: mediaType };
}

function toBase64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}
