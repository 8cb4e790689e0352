/** Implements the Gemini dialect: any part of a reply may have a thought signature, mostly the first call or the last text. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type DraftBlock, findMetadataText } from "./draft.ts";
import { baseProtocol, isBase64, type Protocol } from "./protocol.ts";
import { type ServerToolRun, toServerToolParts } from "./server-tools.ts";

export const gemini: Protocol = {
  ...baseProtocol,
  toTextPart: (block, context) => ({
    ...baseProtocol.toTextPart(block, context),
    ...signatureOptions(block.textSignature),
  }),
  toReasoningParts: ({ thinking, thinkingSignature }) =>
    isBase64(thinkingSignature) ? [{ type: "reasoning", text: thinking, ...signatureOptions(thinkingSignature) }] : [],
  toCallPart: (block, context) => ({
    ...baseProtocol.toCallPart(block, context),
    ...signatureOptions(block.thoughtSignature),
  }),
  replayServerTool,
  attachSignatures,
  readTextFields: ({ metadata }) => optionalField("textSignature", findMetadataText(metadata, SIGNATURE_FIELD)),
  readThinkingFields: ({ metadata }) => optionalField("thinkingSignature", findMetadataText(metadata, SIGNATURE_FIELD)),
  readCallFields: ({ id, metadata }) => ({
    id,
    ...optionalField("thoughtSignature", findMetadataText(metadata, SIGNATURE_FIELD)),
  }),
};

const SIGNATURE_FIELD = "thoughtSignature";

// A signature may come on a text without words, which is not kept: what stands before it bears it, unless that is signed.
function attachSignatures(blocks: readonly DraftBlock[]): readonly DraftBlock[] {
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    const borrowedSignature =
      next?.kind === "text" && next.text === "" ? findMetadataText(next.metadata, SIGNATURE_FIELD) : undefined;
    if (borrowedSignature === undefined || findMetadataText(block.metadata, SIGNATURE_FIELD) !== undefined)
      return block;
    return {
      ...block,
      metadata: { ...block.metadata, google: { ...block.metadata.google, [SIGNATURE_FIELD]: borrowedSignature } },
    };
  });
}

// Without its number of a call it would be taken for a function's, which nobody has answered.
function replayServerTool(run: ServerToolRun): ReturnType<Protocol["replayServerTool"]> {
  const { call = {}, result = {} } = run.beside ?? {};
  const hasCallIds = [call, result].every((metadata) => findMetadataText(metadata, "serverToolCallId") !== undefined);
  return hasCallIds ? toServerToolParts(run) : [];
}

function signatureOptions(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return isBase64(signature) ? { providerOptions: { google: { [SIGNATURE_FIELD]: signature } } } : {};
}

function optionalField<Name extends string>(
  name: Name,
  signature: string | undefined,
): { readonly [Each in Name]?: string } {
  return signature === undefined ? {} : ({ [name]: signature } as { readonly [Each in Name]?: string });
}
