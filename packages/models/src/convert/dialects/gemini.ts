/** Implements the Gemini dialect: any part of a reply may have a thought signature, mostly the first call or the last text. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type DraftBlock, foundText } from "../draft.ts";
import { type Served, servedParts } from "../server-tools.ts";
import { type Dialect, isBase64, unsigned } from "./dialect.ts";

export const gemini: Dialect = {
  ...unsigned,
  sentText: (block, beside) => ({ ...unsigned.sentText(block, beside), ...signed(block.textSignature) }),
  sentThinking: ({ thinking, thinkingSignature }) =>
    isBase64(thinkingSignature) ? [{ type: "reasoning", text: thinking, ...signed(thinkingSignature) }] : [],
  sentCall: (block, beside) => ({ ...unsigned.sentCall(block, beside), ...signed(block.thoughtSignature) }),
  sentServed,
  settled,
  textFields: ({ metadata }) => named("textSignature", foundText(metadata, SIGNATURE)),
  thinkingFields: ({ metadata }) => named("thinkingSignature", foundText(metadata, SIGNATURE)),
  callFields: ({ id, metadata }) => ({ id, ...named("thoughtSignature", foundText(metadata, SIGNATURE)) }),
};

const SIGNATURE = "thoughtSignature";

// A signature may come on a text without words, which is not kept: what stands before it bears it, unless that is signed.
function settled(blocks: readonly DraftBlock[]): readonly DraftBlock[] {
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    const lent = next?.kind === "text" && next.text === "" ? foundText(next.metadata, SIGNATURE) : undefined;
    if (lent === undefined || foundText(block.metadata, SIGNATURE) !== undefined) return block;
    return { ...block, metadata: { ...block.metadata, google: { ...block.metadata.google, [SIGNATURE]: lent } } };
  });
}

// Without its number of a call it would be taken for a function's, which nobody has answered.
function sentServed(served: Served): ReturnType<Dialect["sentServed"]> {
  const { call = {}, result = {} } = served.beside ?? {};
  const isNumbered = [call, result].every((metadata) => foundText(metadata, "serverToolCallId") !== undefined);
  return isNumbered ? servedParts(served) : [];
}

function signed(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return isBase64(signature) ? { providerOptions: { google: { [SIGNATURE]: signature } } } : {};
}

function named<Name extends string>(name: Name, signature: string | undefined): { readonly [Each in Name]?: string } {
  return signature === undefined ? {} : ({ [name]: signature } as { readonly [Each in Name]?: string });
}
