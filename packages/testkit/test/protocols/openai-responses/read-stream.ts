/** Reads a stream with an AI SDK client. The metadata that is needed to send a block back arrives with its end. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { ClientReply } from "../../server/read-reply.ts";

export async function readStream(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<ClientReply> {
  const { stream } = await model.doStream(options);
  const blocks = new Map<string, LanguageModelV4Content>();
  let end: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "finish") end = part;
    if (part.type === "tool-call") blocks.set(part.toolCallId, part);
    else addPart(blocks, part);
  }
  if (!end) throw new Error("the stream did not finish");
  const { finishReason, usage } = end;
  const content = [...blocks.values()];
  return {
    content,
    finishReason: finishReason.unified,
    usage: { input: usage.inputTokens, output: usage.outputTokens },
  };
}

function addPart(blocks: Map<string, LanguageModelV4Content>, part: LanguageModelV4StreamPart): void {
  if (!("id" in part) || !/^(text|reasoning)-/.test(part.type)) return;
  const id = String(part.id);
  const previous = blocks.get(id);
  const text = (previous && "text" in previous ? previous.text : "") + ("delta" in part ? part.delta : "");
  const metadata = ("providerMetadata" in part ? part.providerMetadata : undefined) ?? previous?.providerMetadata;
  const type = part.type.startsWith("text") ? ("text" as const) : ("reasoning" as const);
  blocks.set(id, { type, text, ...(metadata && { providerMetadata: metadata }) });
}
