/** Defines `Dialect`, how one wire protocol carries signatures and ids, and what all dialects share. */

import type {
  JSONValue,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, TextBlock, ThinkingBlock, ToolCallBlock } from "@pith/context";
import type { DraftBlock, DraftCall, DraftText, DraftThinking } from "./draft.ts";
import type { ServerToolPart, ServerToolRun } from "./server-tools.ts";

export interface Protocol {
  readonly toTextPart: (block: TextBlock, beside: ReplyContext) => LanguageModelV4TextPart;
  /** None where the signature is not of this protocol: reasoning goes back as it came, or not at all. */
  readonly toReasoningParts: (block: ThinkingBlock) => readonly LanguageModelV4ReasoningPart[];
  readonly toCallPart: (block: ToolCallBlock, beside: ReplyContext) => LanguageModelV4ToolCallPart;
  /** The id of a call on the wire, of which a logged id may hold more. */
  readonly toCallId: (id: string) => string;
  /** None where it is refused, or not understood: then the words beside it are sent. */
  readonly replayServerTool: (served: ServerToolRun, beside: ReplyContext) => readonly ServerToolPart[];
  /** What goes with a whole reply and not with one part of it. */
  readonly toMessageOptions?: (message: AssistantMessage) => SharedV4ProviderOptions | undefined;
  /** The blocks before each is read by itself, where a signature comes apart from what it signs. */
  readonly attachSignatures?: (blocks: readonly DraftBlock[]) => readonly DraftBlock[];
  readonly readTextFields: (draft: DraftText) => Pick<TextBlock, "textSignature">;
  readonly readThinkingFields: (draft: DraftThinking) => Pick<ThinkingBlock, "thinkingSignature" | "redacted">;
  readonly readCallFields: (draft: DraftCall) => Pick<ToolCallBlock, "id" | "thoughtSignature" | "namespace">;
}

export interface ReplyContext {
  /** Whether reasoning is sent in the same message: some ids mean nothing without it. */
  readonly hasReasoning: boolean;
}

/** The fields in which chat completions carry reasoning; pi writes the field's name where others have a signature. */
export const reasoningFields: readonly string[] = ["reasoning_content", "reasoning", "reasoning_text"];

/** Letters that only their maker can read: neither the JSON of one protocol nor the field name of another. */
export function isOpaque(signature: string | undefined): signature is string {
  return signature !== undefined && /^[^\s{}"]+$/.test(signature) && !reasoningFields.includes(signature);
}

/** Gemini takes bytes, and refuses a request with letters that are no base64. */
export function isBase64(signature: string | undefined): signature is string {
  return isOpaque(signature) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
}

/** An object in JSON, or null for any other text. */
export function parseObject(text: string | undefined): Readonly<Record<string, JSONValue | undefined>> | null {
  if (!text?.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    // A signature of another protocol may begin like one.
    return null;
  }
}

/** The base of all dialects: texts and calls as they are, without any signature. */
export const baseProtocol: Protocol = {
  toTextPart: ({ text }) => ({ type: "text", text }),
  toReasoningParts: () => [],
  toCallPart: ({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
  toCallId: (id) => id,
  replayServerTool: () => [],
  readTextFields: () => ({}),
  readThinkingFields: () => ({}),
  readCallFields: ({ id }) => ({ id }),
};
