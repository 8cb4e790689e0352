/** What a tool of the provider's own was asked and has found, as parts of the prompt that goes back to it. */

import type { LanguageModelV4ToolCallPart, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { Served } from "./served-block.ts";

export type ServedPart = LanguageModelV4ToolCallPart | LanguageModelV4ToolResultPart;

export function servedParts({ id, name, input, output, failed, beside }: Served): readonly ServedPart[] {
  const both = { toolCallId: id, toolName: name };
  return [
    {
      type: "tool-call",
      ...both,
      input,
      providerExecuted: true,
      ...(beside?.call && { providerOptions: beside.call }),
    },
    {
      type: "tool-result",
      ...both,
      output: { type: failed ? "error-json" : "json", value: output },
      ...(beside?.result && { providerOptions: beside.result }),
    },
  ];
}
