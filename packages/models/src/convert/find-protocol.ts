/** Finds the protocol of a model by pi's name for its API, and defines the generic protocol for all other APIs. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelName } from "@pith/context";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { findOpenAiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";
import { baseProtocol, type Protocol, parseObject } from "./protocol.ts";
import type { ProviderMetadata } from "./reply-draft.ts";

export function findProtocol({ api, provider }: ModelName): Protocol {
  switch (api) {
    case "anthropic-messages":
      return anthropic;
    case "openai-responses":
      return openaiResponses;
    case "openai-completions":
      return findOpenAiCompletions(provider);
    case "google-generative-ai":
      return gemini;
    default:
      return genericProtocol;
  }
}

/** For protocols that pi has no encoding for: the provider's metadata is stored and sent back unchanged. */
const genericProtocol: Protocol = {
  ...baseProtocol,
  toTextPart: (block, context) => ({
    ...baseProtocol.toTextPart(block, context),
    ...unpackMetadata(block.textSignature),
  }),
  toReasoningParts: ({ thinking, thinkingSignature }) => {
    const options = unpackMetadata(thinkingSignature);
    return options.providerOptions ? [{ type: "reasoning", text: thinking, ...options }] : [];
  },
  toCallPart: (block, context) => ({
    ...baseProtocol.toCallPart(block, context),
    ...unpackMetadata(block.thoughtSignature),
  }),
  readTextFields: ({ metadata }) => (isEmpty(metadata) ? {} : { textSignature: packMetadata(metadata) }),
  readThinkingFields: ({ metadata }) => (isEmpty(metadata) ? {} : { thinkingSignature: packMetadata(metadata) }),
  readCallFields: ({ id, metadata }) => (isEmpty(metadata) ? { id } : { id, thoughtSignature: packMetadata(metadata) }),
};

const packMetadata = (metadata: ProviderMetadata): string => JSON.stringify({ v: 1, metadata });

function unpackMetadata(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
  const metadata = parseObject(signature)?.metadata;
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return isObject ? { providerOptions: metadata as SharedV4ProviderOptions } : {};
}

const isEmpty = (metadata: ProviderMetadata): boolean => Object.keys(metadata).length === 0;
