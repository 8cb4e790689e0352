/** Reads a reply with an AI SDK client, streamed or not, and builds the prompt that sends it back. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

export interface ClientReply {
  readonly content: readonly LanguageModelV4Content[];
  readonly finishReason: string;
  readonly usage: { readonly input: unknown; readonly output: unknown };
}

export async function readStream(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<ClientReply> {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  const failed = parts.find((part) => part.type === "error");
  if (failed) throw failed.error;
  const end = parts.find((part) => part.type === "finish");
  if (!end) throw new Error("the stream did not finish");
  return {
    content: joinParts(parts),
    finishReason: end.finishReason.unified,
    usage: { input: end.usage.inputTokens, output: end.usage.outputTokens },
  };
}

export async function readWhole(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<ClientReply> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  return {
    content,
    finishReason: finishReason.unified,
    usage: { input: usage.inputTokens, output: usage.outputTokens },
  };
}

/** Joins deltas by their ids. The last metadata of a block applies. */
function joinParts(parts: readonly LanguageModelV4StreamPart[]): readonly LanguageModelV4Content[] {
  const blocks = new Map<string, LanguageModelV4Content>();
  for (const part of parts) {
    if (part.type === "tool-call") blocks.set(part.toolCallId, part);
    if (
      part.type !== "text-start" &&
      part.type !== "text-delta" &&
      part.type !== "reasoning-start" &&
      part.type !== "reasoning-delta"
    )
      continue;
    const previous = blocks.get(part.id) as { text: string; providerMetadata?: never } | undefined;
    const text = (previous?.text ?? "") + ("delta" in part ? part.delta : "");
    const providerMetadata = part.providerMetadata ?? previous?.providerMetadata;
    const type = part.type.startsWith("text") ? ("text" as const) : ("reasoning" as const);
    blocks.set(part.id, { type, text, ...(providerMetadata && { providerMetadata }) });
  }
  return [...blocks.values()];
}

/** Appends the reply to the prompt, with a result for each call or, without calls, a new question. */
export function appendReply(
  prompt: LanguageModelV4Prompt,
  content: readonly LanguageModelV4Content[],
): LanguageModelV4Prompt {
  const calls = content.filter((part) => part.type === "tool-call");
  const results = calls.map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output: { type: "text" as const, value: `result of ${toolName}` },
  }));
  return [
    ...prompt,
    { role: "assistant", content: content.flatMap(toPromptPart) },
    calls.length > 0
      ? { role: "tool", content: results }
      : { role: "user", content: [{ type: "text", text: "and then?" }] },
  ];
}

function toPromptPart(part: LanguageModelV4Content): Extract<LanguageModelV4Message, { role: "assistant" }>["content"] {
  if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") return [];
  const options = part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  if (part.type !== "tool-call") return [{ type: part.type, text: part.text, ...options }];
  const { toolCallId, toolName, input } = part;
  return [{ type: part.type, toolCallId, toolName, input: JSON.parse(input), ...options }];
}
