/** Defines `Protocol`, everything that differs between the wire protocols, and the helpers that several protocols use. */

import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4ProviderTool,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  CacheMark,
  ModelName,
  Request,
  TextBlock,
  ThinkingBlock,
  ThinkingLevel,
  ToolCallBlock,
} from "@pith/context";
import type { DraftBlock, DraftCall, DraftText, DraftThinking } from "./reply-draft.ts";
import type { ServerToolPart, ServerToolRun } from "./server-tools.ts";

export interface Protocol {
  /** The key under which the bundled package reads provider options; null for a protocol without a bundled package. */
  readonly optionsKey: string | null;
  /** Whether a system message may follow other messages. */
  readonly supportsLaterSystemMessages: boolean;
  /** Whether a tool result can be marked as an error. */
  readonly supportsErrorResults: boolean;
  /** `separate`: images go into a user message after the results. `one-text`: a result with images has exactly one text. */
  readonly resultImages: "inline" | "separate" | "one-text";
  /** The cache marks that are sent; none where the provider finds the shared prefix itself. */
  readonly selectCacheMarks: (marks: readonly CacheMark[]) => readonly CacheMark[];
  /** The provider's own web search for this model; null where it has none. */
  readonly findWebSearch: (target: ModelName, thinking: ThinkingLevel) => LanguageModelV4ProviderTool | null;

  readonly buildProviderOptions: (request: Request, options: ConvertOptions) => SharedV4ProviderOptions | null;
  /** The level in the words that the endpoint accepts; null where none is sent. */
  readonly toReasoningLevel: (level: ThinkingLevel, target: ModelName) => ReasoningLevel | null;
  /** The options of a model that thinks within a token budget; null for a model that takes a level. */
  readonly buildBudgetOptions?: (request: Request, options: ConvertOptions) => ReplyOptions | null;
  /** Why a request is sent without the thinking that was asked for; null where it thinks, or was not asked to. */
  readonly explainNoThinking?: (request: Request, options: ConvertOptions) => string | null;

  readonly toTextPart: (block: TextBlock, context: ReplyContext) => LanguageModelV4TextPart;
  /** No parts for a signature of another protocol: reasoning is sent back unchanged or not at all. */
  readonly toReasoningParts: (block: ThinkingBlock) => readonly LanguageModelV4ReasoningPart[];
  readonly toCallPart: (block: ToolCallBlock, context: ReplyContext) => LanguageModelV4ToolCallPart;
  /** The id of a call on the wire. A logged id may contain more. */
  readonly toCallId: (id: string) => string;
  /** No parts for a run that the provider would refuse; its text is sent instead. */
  readonly replayServerTool: (run: ServerToolRun, context: ReplyContext) => readonly ServerToolPart[];
  /** Options of the whole reply, not of one of its parts. */
  readonly toMessageOptions?: (message: AssistantMessage) => SharedV4ProviderOptions | undefined;

  /** Moves signatures that arrive apart from the block they sign. */
  readonly attachSignatures?: (blocks: readonly DraftBlock[]) => readonly DraftBlock[];
  readonly readTextFields: (draft: DraftText) => Pick<TextBlock, "textSignature">;
  readonly readThinkingFields: (draft: DraftThinking) => Pick<ThinkingBlock, "thinkingSignature" | "redacted">;
  readonly readCallFields: (draft: DraftCall) => Pick<ToolCallBlock, "id" | "thoughtSignature" | "namespace">;
}

export interface ConvertOptions {
  readonly target: ModelName;
  /** The most tokens of this reply, thinking included. */
  readonly maxTokens: number;
  /** The most tokens the model can write in one reply; `maxTokens` by default. */
  readonly modelMaxTokens?: number | undefined;
  /** Identifies requests that share a prefix; OpenAI sends those with the same key to the same cache. */
  readonly cacheKey?: string | undefined;
  /** False for a model that cannot think. Thinking is not turned off either, since the provider would refuse the option. */
  readonly supportsThinking?: boolean | undefined;
  /** The key under which the package reads provider options, if it differs from the bundled package's. */
  readonly optionsKey?: string | undefined;
}

export type ReplyOptions = Pick<LanguageModelV4CallOptions, "maxOutputTokens" | "reasoning" | "providerOptions">;

export type ReasoningLevel = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

export interface ReplyContext {
  /** Whether reasoning is sent in the same message; some ids are valid only beside it. */
  readonly hasReasoning: boolean;
}

/** The base of all protocols: texts and calls unchanged, without signatures. */
export const baseProtocol: Protocol = {
  optionsKey: null,
  supportsLaterSystemMessages: false,
  supportsErrorResults: true,
  resultImages: "inline",
  selectCacheMarks: () => [],
  findWebSearch: () => null,
  buildProviderOptions: () => null,
  // Servers of unknown protocols would refuse "none".
  toReasoningLevel: (level) => (level === "off" ? null : level),
  toTextPart: ({ text }) => ({ type: "text", text }),
  toReasoningParts: () => [],
  toCallPart: ({ id, name, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
  toCallId: (id) => id,
  replayServerTool: () => [],
  readTextFields: () => ({}),
  readThinkingFields: () => ({}),
  readCallFields: ({ id }) => ({ id }),
};

/** The fields in which chat completions carry reasoning; pi stores the field's name in the place of a signature. */
export const reasoningFields: readonly string[] = ["reasoning_content", "reasoning", "reasoning_text"];

/** An opaque signature: neither the JSON of one protocol nor the field name of another. */
export function isOpaque(signature: string | undefined): signature is string {
  return signature !== undefined && /^[^\s{}"]+$/.test(signature) && !reasoningFields.includes(signature);
}

/** Parses a JSON object; null for any other text. */
export function parseObject(text: string | undefined): Readonly<Record<string, JSONValue | undefined>> | null {
  if (!text?.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    // A signature of another protocol may begin with a brace.
    return null;
  }
}
