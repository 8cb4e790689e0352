/** Anthropic's own web search in a reply: a block with what was looked for, and one with what was found, its content encrypted. */

import type { SearchResult } from "../../script.ts";
import { sealed } from "../signature.ts";
import type { SaidPart, SaidSearch } from "../wire.ts";
import { calling, inOnePiece, type SpelledBlock } from "./spelled-block.ts";

export const OWN_SEARCH = "web_search";

export function searchBlocks(search: SaidSearch, chunk: number): readonly SpelledBlock[] {
  const id = `srvtoolu_${search.id}`;
  const json = JSON.stringify({ query: search.query });
  return [
    calling({ type: "server_tool_use", id, name: OWN_SEARCH }, { json, chunk }),
    inOnePiece({ type: "web_search_tool_result", tool_use_id: id, content: contentOf(search) }),
  ];
}

function contentOf({ results, error }: SaidSearch): unknown {
  if (error !== undefined) return { type: "web_search_tool_result_error", error_code: error };
  return results.map(({ title, url }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: encryptedPage({ title, url }),
    page_age: null,
  }));
}

/** What only the provider can read of a page; it belongs to this page and no other. */
export function encryptedPage({ title, url }: SearchResult): string {
  return sealed(OWN_SEARCH, `${title ?? ""}\n${url}`);
}

/** Searches have a price of their own. */
export function searchUsage(parts: readonly SaidPart[]): object {
  const searches = parts.filter(({ type }) => type === "search").length;
  return searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } };
}
