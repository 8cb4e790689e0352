/** Sends requests to a test server: plain JSON, or with an AI SDK client whose reply can be sent back. */

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

export interface PostResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The message of an error in the provider's format. */
  readonly message: string;
  /** Google's error status, or the error type of the other providers. */
  readonly kind: string;
}

export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<PostResult> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const error = parseError(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: String(error.message),
    kind: String(error.status ?? error.type),
  };
}

function parseError(text: string): { readonly message?: unknown; readonly status?: unknown; readonly type?: unknown } {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    // An event stream is not JSON and not an error.
    return {};
  }
}

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

/** Joins deltas by their ids. The last metadata of a block applies; that of OpenAI arrives with its end. */
function joinParts(parts: readonly LanguageModelV4StreamPart[]): readonly LanguageModelV4Content[] {
  const blocks = new Map<string, LanguageModelV4Content>();
  for (const part of parts) {
    if (part.type === "tool-call") blocks.set(part.toolCallId, part);
    if (!("id" in part) || !/^(?:text|reasoning)-/.test(part.type)) continue;
    const id = String(part.id);
    const previous = blocks.get(id);
    const text = (previous && "text" in previous ? previous.text : "") + ("delta" in part ? part.delta : "");
    const metadata = ("providerMetadata" in part ? part.providerMetadata : undefined) ?? previous?.providerMetadata;
    const type = part.type.startsWith("text") ? ("text" as const) : ("reasoning" as const);
    blocks.set(id, { type, text, ...(metadata && { providerMetadata: metadata }) });
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
