/** How signatures and ids travel over one wire protocol: from our blocks to the AI SDK's parts, and back from a draft. */

import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, TextBlock, ThinkingBlock, ToolCallBlock } from "@pith/context";
import type { Served } from "../served/served-block.ts";
import type { ServedPart } from "../served/served-parts.ts";
import type { DraftBlock, DraftCall, DraftText, DraftThinking } from "../telling/draft.ts";

export interface Dialect {
  readonly sentText: (block: TextBlock, beside: Beside) => LanguageModelV4TextPart;
  /** None where the signature is not of this protocol: reasoning goes back as it came, or not at all. */
  readonly sentThinking: (block: ThinkingBlock) => readonly LanguageModelV4ReasoningPart[];
  readonly sentCall: (block: ToolCallBlock, beside: Beside) => LanguageModelV4ToolCallPart;
  /** The id of a call on the wire, of which a logged id may hold more. */
  readonly sentCallId: (id: string) => string;
  /** None where it is refused, or not understood: then the words beside it are sent. */
  readonly sentServed: (served: Served, beside: Beside) => readonly ServedPart[];
  /** What goes with a whole reply and not with one part of it. */
  readonly sentOptions?: (message: AssistantMessage) => SharedV4ProviderOptions | undefined;
  /** The blocks before each is read by itself, where a signature comes apart from what it signs. */
  readonly settled?: (blocks: readonly DraftBlock[]) => readonly DraftBlock[];
  readonly textFields: (draft: DraftText) => Pick<TextBlock, "textSignature">;
  readonly thinkingFields: (draft: DraftThinking) => Pick<ThinkingBlock, "thinkingSignature" | "redacted">;
  readonly callFields: (draft: DraftCall) => Pick<ToolCallBlock, "id" | "thoughtSignature" | "namespace">;
}

export interface Beside {
  /** Whether reasoning is sent in the same message: some ids mean nothing without it. */
  readonly thinks: boolean;
}
