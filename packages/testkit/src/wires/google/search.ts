/** Google's own web search in a reply: two signed parts where the request asks for them, and what the reply rests on at its end. */

import { isObject, type Json } from "../shape.ts";
import { signature } from "../signature.ts";
import type { Body, Said, SaidPart, SaidSearch } from "../wire.ts";

const TOOL = "GOOGLE_SEARCH_WEB";

/** What was looked for, and a snippet for web pages that only Google can make use of. */
export function searchParts({ query, id }: SaidSearch, { model }: Said): readonly object[] {
  const call = { toolType: TOOL, args: { queries: [query] }, id };
  const response = { toolType: TOOL, response: { search_suggestions: `<div>${query}</div>` }, id };
  return [
    { toolCall: call, thoughtSignature: serverSignature(model, call.args) },
    { toolResponse: response, thoughtSignature: serverSignature(model, response.response) },
  ];
}

/** Of what a tool was asked, or of what it answered. */
export function serverSignature(model: string, value: unknown): string {
  return signature(model, TOOL + JSON.stringify(value));
}

/** Only then do its own tools stand among the parts. */
export function tellsServerTools({ toolConfig }: Body): boolean {
  return isObject(toolConfig) && toolConfig.includeServerSideToolInvocations === true;
}

/** Empty where nothing was looked for. */
export function grounding({ parts }: Said): Json {
  const searches = parts.filter((part: SaidPart) => part.type === "search");
  if (searches.length === 0) return {};
  const groundingChunks = searches.flatMap(({ results }) =>
    results.map(({ title, url }) => ({ web: { uri: url, ...(title !== null && { title }) } })),
  );
  return { groundingMetadata: { webSearchQueries: searches.map(({ query }) => query), groundingChunks } };
}
