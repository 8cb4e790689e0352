/** Anthropic Messages: a signature beside each thought; redacted thoughts are their signature and nothing else. */

import type { ThinkingBlock } from "@pith/context";
import { foundText } from "../telling/found-text.ts";
import type { Dialect } from "./dialect.ts";
import { isOpaque } from "./signature.ts";
import { unsigned } from "./unsigned.ts";

export const anthropic: Dialect = { ...unsigned, sentThinking, thinkingFields };

function sentThinking({ thinking, thinkingSignature, redacted }: ThinkingBlock): ReturnType<Dialect["sentThinking"]> {
  if (!isOpaque(thinkingSignature)) return [];
  return redacted
    ? [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: thinkingSignature } } }]
    : [{ type: "reasoning", text: thinking, providerOptions: { anthropic: { signature: thinkingSignature } } }];
}

function thinkingFields({ metadata }: Parameters<Dialect["thinkingFields"]>[0]): ReturnType<Dialect["thinkingFields"]> {
  const data = foundText(metadata, "redactedData");
  if (data !== undefined) return { thinkingSignature: data, redacted: true };
  const signature = foundText(metadata, "signature");
  return signature === undefined ? {} : { thinkingSignature: signature };
}
