/** Implements the Gemini protocol: any part of a reply may have a thought signature, usually the first call or the last text. */

import type { LanguageModelV4ProviderTool, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelName, Request } from "@pith/context";
import { baseProtocol, type ConvertOptions, isOpaque, type Protocol } from "./protocol.ts";
import { type DraftBlock, findMetadataText } from "./reply-draft.ts";
import { createSearchTool, type ServerToolRun, toServerToolParts } from "./server-tools.ts";

export const gemini: Protocol = {
  ...baseProtocol,
  optionsKey: "google",
  // Older models get one response for each text and none for images alone, but require exactly one for each call.
  resultImages: "one-text",
  findWebSearch,
  buildProviderOptions,
  toReasoningLevel: (level) => (level === "off" ? "none" : level),
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

// A Gemini model before 3 cannot search and call other tools in the same request.
function findWebSearch({ provider, model }: ModelName): LanguageModelV4ProviderTool | null {
  return provider === "google" && /^gemini-([3-9]|\d\d)/.test(model) ? createSearchTool("google.google_search") : null;
}

function buildProviderOptions(
  { thinking }: Request,
  { supportsThinking = true }: ConvertOptions,
): SharedV4ProviderOptions | null {
  return supportsThinking && thinking !== "off" ? { google: { thinkingConfig: { includeThoughts: true } } } : null;
}

// A signature may arrive on an empty text, which is not stored. The block before it takes the signature unless it has one.
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

// Without the provider's call id, Gemini would take the call for a function call without a result.
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

/** Gemini refuses a request with a signature that is not base64. */
function isBase64(signature: string | undefined): signature is string {
  return isOpaque(signature) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(signature);
}
