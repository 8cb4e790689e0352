/** Implements the Anthropic Messages dialect: a thinking block has a signature; a redacted one is its signature alone. */

import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import type { ThinkingBlock } from "@pith/context";
import { findMetadataText } from "./draft.ts";
import { baseProtocol, isOpaque, type Protocol } from "./protocol.ts";
import { type ServerToolRun, toServerToolParts, webSearch } from "./server-tools.ts";

export const anthropic: Protocol = { ...baseProtocol, toReasoningParts, replayServerTool, readThinkingFields };

function toReasoningParts({
  thinking,
  thinkingSignature,
  redacted,
}: ThinkingBlock): ReturnType<Protocol["toReasoningParts"]> {
  if (!isOpaque(thinkingSignature)) return [];
  return redacted
    ? [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: thinkingSignature } } }]
    : [{ type: "reasoning", text: thinking, providerOptions: { anthropic: { signature: thinkingSignature } } }];
}

// Its package throws at what it does not know, and leaves out the title of a page that has none, only to miss it later.
function replayServerTool(run: ServerToolRun): ReturnType<Protocol["replayServerTool"]> {
  if (run.name !== webSearch.name) return [];
  if (run.failed) return typeof Object(run.output).errorCode === "string" ? toServerToolParts(run) : [];
  if (!Array.isArray(run.output) || !run.output.every(isSearchPage)) return [];
  return toServerToolParts({ ...run, output: run.output.map((page) => ({ title: null, pageAge: null, ...page })) });
}

function isSearchPage(page: JSONValue | undefined): page is JSONObject {
  const { type, url, encryptedContent, title = null, pageAge = null } = Object(page);
  const isKnown = [title, pageAge].every((each) => each === null || typeof each === "string");
  return type === "web_search_result" && [url, encryptedContent].every((each) => typeof each === "string") && isKnown;
}

function readThinkingFields({
  metadata,
}: Parameters<Protocol["readThinkingFields"]>[0]): ReturnType<Protocol["readThinkingFields"]> {
  const redactedData = findMetadataText(metadata, "redactedData");
  if (redactedData !== undefined) return { thinkingSignature: redactedData, redacted: true };
  const signature = findMetadataText(metadata, "signature");
  return signature === undefined ? {} : { thinkingSignature: signature };
}
