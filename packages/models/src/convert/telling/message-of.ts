/** The message that a draft has become. */

import type { AssistantMessage, ModelName, StopReason } from "@pith/context";
import type { Dialect } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/dialect-of.ts";
import { argumentsOf } from "./arguments-of.ts";
import type { Prices } from "./cost-of.ts";
import { type Draft, type DraftBlock, thinkingText } from "./draft.ts";
import { servedTextBlock } from "./served-draft.ts";
import { usageOf } from "./usage-of.ts";

export interface MessageParts {
  readonly from: ModelName;
  readonly stopReason: StopReason;
  readonly timestamp: number;
  readonly prices?: Prices | undefined;
  readonly errorMessage?: string;
}

export function messageOf(
  { blocks, usage }: Draft,
  { from, stopReason, timestamp, prices, errorMessage }: MessageParts,
): AssistantMessage {
  const dialect = dialectOf(from);
  const settled = dialect.settled?.(blocks) ?? blocks;
  const isAfterThought = (at: number): boolean => settled.slice(0, at).some(({ kind }) => kind === "thinking");
  return {
    role: "assistant",
    content: settled.flatMap((block, at) => blockOf(block, { dialect, thought: isAfterThought(at) })),
    api: from.api,
    provider: from.provider,
    model: from.model,
    usage: usageOf(usage, prices),
    stopReason,
    ...(errorMessage !== undefined && { errorMessage }),
    timestamp,
  };
}

// What holds neither words nor a signed thought was only announced.
function blockOf(
  block: DraftBlock,
  { dialect, thought }: { readonly dialect: Dialect; readonly thought: boolean },
): AssistantMessage["content"] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...dialect.textFields(block) }];
    case "thinking": {
      const [thinking, fields] = [thinkingText(block), dialect.thinkingFields(block)];
      return thinking === "" && !fields.thinkingSignature ? [] : [{ type: "thinking", thinking, ...fields }];
    }
    case "call": {
      const { id, ...signed } = dialect.callFields(block);
      return [{ type: "toolCall", id, name: block.name, ...argumentsOf(block), ...signed }];
    }
    case "served":
      return [servedTextBlock(block, { thought })];
  }
}
