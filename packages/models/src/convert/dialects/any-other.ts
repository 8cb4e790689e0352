/** Protocols that pi has no encoding for: what the provider said beside its words is kept whole, and goes back whole. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Metadata } from "../telling/draft.ts";
import type { Dialect } from "./dialect.ts";
import { objectIn } from "./signature.ts";
import { unsigned } from "./unsigned.ts";

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
