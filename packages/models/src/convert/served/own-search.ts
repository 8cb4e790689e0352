/** The web search that some providers run themselves: who has one, and when a request declares it. */

import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ModelName, Request, SystemMessage, ThinkingLevel, Tool } from "@pith/context";

/** Add it to the tools by a system message; models without a search of their own are not told of it. */
export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web. The provider runs it.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  from: "provider",
};

/** Whether a model's provider searches the web for it, beside other tools. */
export function searches(model: ModelName): boolean {
  return ownSearch(model, "off") !== null;
}

/** As its package takes it; null where the request wants none, or there is none. */
export function declaredSearch(request: Request, to: ModelName): LanguageModelV4ProviderTool | null {
  return isWanted(request) ? ownSearch(to, request.thinking) : null;
}

// Nobody could refuse its calls: one that was removed is declared no longer, whatever that costs the cache.
function isWanted({ tools, messages }: Request): boolean {
  const changes = messages.filter((message) => message.role === "system");
  const all = [...tools, ...changes.flatMap(({ toolsAdded = [] }) => toolsAdded)];
  return changes.reduce(wantedAfter, tools.some(isWebSearch)) && !all.some(hasItsName);
}

/** A tool of the host's own, which is declared for good; two of one name are refused. */
function hasItsName({ name, from }: Tool): boolean {
  return from === undefined && name === webSearch.name;
}

function wantedAfter(before: boolean, { toolsAdded = [], toolsRemoved = [] }: SystemMessage): boolean {
  return toolsAdded.some(isWebSearch) || (before && !toolsRemoved.some(({ name }) => name === webSearch.name));
}

function isWebSearch({ name, from }: Tool): boolean {
  return from === "provider" && name === webSearch.name;
}

function ownSearch({ api, provider, model }: ModelName, thinking: ThinkingLevel): LanguageModelV4ProviderTool | null {
  const [id, known, args = {}] = own[`${provider} ${api}`] ?? [];
  if (!id || !known?.test(model) || (thinking === "minimal" && provider === "openai")) return null;
  return { type: "provider", id, name: webSearch.name, args };
}

type OwnSearch = readonly [id: LanguageModelV4ProviderTool["id"], models: RegExp, args?: Record<string, unknown>];

/**
 * Anthropic pauses a reply after ten searches, which we would take for its end. OpenAI refuses to search with the least
 * effort. Gemini before 3 searches only in the place of all other tools.
 */
const own: Readonly<Record<string, OwnSearch>> = {
  "anthropic anthropic-messages": [
    "anthropic.web_search_20250305",
    /^claude-(?!3-(opus|sonnet|haiku))/,
    { maxUses: 8 },
  ],
  "openai openai-responses": ["openai.web_search", /^(gpt-4o|gpt-4\.1(?!-nano)|gpt-[5-9]|o3(?!-mini)|o4)/],
  "google google-generative-ai": ["google.google_search", /^gemini-([3-9]|\d\d)/],
};
