/** Maps a wire protocol, by pi's name for it, to its dialect, and defines the default dialect for all others. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelName } from "@pith/context";
import type { Metadata } from "../draft.ts";
import { anthropic } from "./anthropic.ts";
import { type Dialect, objectIn, unsigned } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";

/** For protocols that pi has no encoding for: the provider's metadata is kept whole and sent back whole. */
export const anyOther: Dialect = {
  ...unsigned,
  sentText: (block, beside) => ({ ...unsigned.sentText(block, beside), ...unpacked(block.textSignature) }),
  sentThinking: ({ thinking, thinkingSignature }) => {
    const options = unpacked(thinkingSignature);
    return options.providerOptions ? [{ type: "reasoning", text: thinking, ...options }] : [];
  },
  sentCall: (block, beside) => ({ ...unsigned.sentCall(block, beside), ...unpacked(block.thoughtSignature) }),
  textFields: ({ metadata }) => (isEmpty(metadata) ? {} : { textSignature: packed(metadata) }),
  thinkingFields: ({ metadata }) => (isEmpty(metadata) ? {} : { thinkingSignature: packed(metadata) }),
  callFields: ({ id, metadata }) => (isEmpty(metadata) ? { id } : { id, thoughtSignature: packed(metadata) }),
};

const packed = (metadata: Metadata): string => JSON.stringify({ v: 1, metadata });

function unpacked(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
  const metadata = objectIn(signature)?.metadata;
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return isObject ? { providerOptions: metadata as SharedV4ProviderOptions } : {};
}

const isEmpty = (metadata: Metadata): boolean => Object.keys(metadata).length === 0;

export function dialectOf({ api, provider }: ModelName): Dialect {
  switch (api) {
    case "anthropic-messages":
      return anthropic;
    case "openai-responses":
      return openaiResponses;
    case "openai-completions":
      return openaiCompletions(provider);
    case "google-generative-ai":
      return gemini;
    default:
      return anyOther;
  }
}
