/** Implements the Anthropic Messages dialect: a thinking block has a signature; a redacted one is its signature alone. */

import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import type { ThinkingBlock } from "@pith/context";
import { foundText } from "../draft.ts";
import { type Served, servedParts, webSearch } from "../server-tools.ts";
import { type Dialect, isOpaque, unsigned } from "./dialect.ts";

export const anthropic: Dialect = { ...unsigned, sentThinking, sentServed, thinkingFields };

function sentThinking({ thinking, thinkingSignature, redacted }: ThinkingBlock): ReturnType<Dialect["sentThinking"]> {
  if (!isOpaque(thinkingSignature)) return [];
  return redacted
    ? [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: thinkingSignature } } }]
    : [{ type: "reasoning", text: thinking, providerOptions: { anthropic: { signature: thinkingSignature } } }];
}

// Its package throws at what it does not know, and leaves out the title of a page that has none, only to miss it later.
function sentServed(served: Served): ReturnType<Dialect["sentServed"]> {
  if (served.name !== webSearch.name) return [];
  if (served.failed) return typeof Object(served.output).errorCode === "string" ? servedParts(served) : [];
  if (!Array.isArray(served.output) || !served.output.every(isPage)) return [];
  return servedParts({ ...served, output: served.output.map((page) => ({ title: null, pageAge: null, ...page })) });
}

function isPage(page: JSONValue | undefined): page is JSONObject {
  const { type, url, encryptedContent, title = null, pageAge = null } = Object(page);
  const isKnown = [title, pageAge].every((each) => each === null || typeof each === "string");
  return type === "web_search_result" && [url, encryptedContent].every((each) => typeof each === "string") && isKnown;
}

function thinkingFields({ metadata }: Parameters<Dialect["thinkingFields"]>[0]): ReturnType<Dialect["thinkingFields"]> {
  const data = foundText(metadata, "redactedData");
  if (data !== undefined) return { thinkingSignature: data, redacted: true };
  const signature = foundText(metadata, "signature");
  return signature === undefined ? {} : { thinkingSignature: signature };
}
