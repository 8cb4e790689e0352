/** A tool of the provider's own in a draft: its call, its result, and the block that both become. */

import type { LanguageModelV4ToolCall, LanguageModelV4ToolResult } from "@ai-sdk/provider";
import type { TextBlock } from "@pith/context";
import { type Served, servedBlock } from "../served/served-block.ts";
import { servedLine } from "../served/served-line.ts";
import { objectOf } from "./arguments-of.ts";
import type { DraftBlock, DraftServed, Metadata } from "./draft.ts";

export function servedCall({
  toolCallId,
  toolName,
  input,
  providerMetadata = {},
}: LanguageModelV4ToolCall): DraftServed {
  return { kind: "served", id: toolCallId, name: toolName, json: input, metadata: providerMetadata, result: null };
}

/** The call that has waited for this result; none for a result that others will take the place of. */
export function waitingCall(
  blocks: readonly DraftBlock[],
  { toolCallId, preliminary }: LanguageModelV4ToolResult,
): DraftServed | undefined {
  const waiting = blocks.filter((block) => block.kind === "served" && !block.result) as readonly DraftServed[];
  return preliminary ? undefined : waiting.findLast(({ id }) => id === toolCallId);
}

export function answered(call: DraftServed, part: LanguageModelV4ToolResult): DraftServed {
  const { result: output, isError: failed = false, providerMetadata: metadata = {} } = part;
  return { ...call, result: { output, failed, metadata } };
}

/** `thought`: it came after one. A call without a result is a line and nothing more: no provider takes it back. */
export function servedTextBlock(draft: DraftServed, { thought }: { readonly thought: boolean }): TextBlock {
  const { id, name, json, metadata, result } = draft;
  const input = objectOf(json) ?? {};
  if (!result) return { type: "text", text: servedLine({ name, input }) };
  const { output, failed } = result;
  const served = { id, name, input, output, ...(failed && { failed }), ...(thought && { thought }) };
  return servedBlock(servedLine(served), { ...served, ...besideOf(metadata, result.metadata) });
}

function besideOf(call: Metadata, result: Metadata): Pick<Served, "beside"> {
  const beside = { ...(!isEmpty(call) && { call }), ...(!isEmpty(result) && { result }) };
  return isEmpty(beside) ? {} : { beside };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
