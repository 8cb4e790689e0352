/** Decides whether a request declares the provider's own web search. */

import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ModelName, Request, SystemMessage, Tool } from "@pith/context";
import { findProtocol } from "./find-protocol.ts";
import { webSearch } from "./server-tools.ts";

/** Whether the provider of a model has its own web search that works beside other tools. */
export function supportsWebSearch(model: ModelName): boolean {
  return findProtocol(model).findWebSearch(model, "off") !== null;
}

/** The search as the package takes it; null where the request does not enable it or the provider has none. */
export function findRequestedSearch(request: Request, target: ModelName): LanguageModelV4ProviderTool | null {
  return isSearchEnabled(request) ? findProtocol(target).findWebSearch(target, request.thinking) : null;
}

// The provider runs the calls without asking, so a removed search is no longer declared, although that invalidates the cache.
function isSearchEnabled({ tools, messages }: Request): boolean {
  const systemMessages = messages.filter((message) => message.role === "system");
  const allTools = [...tools, ...systemMessages.flatMap(({ toolsAdded = [] }) => toolsAdded)];
  return systemMessages.reduce(applyToolChanges, tools.some(isWebSearch)) && !allTools.some(isHostSearch);
}

function applyToolChanges(wasEnabled: boolean, { toolsAdded = [], toolsRemoved = [] }: SystemMessage): boolean {
  return toolsAdded.some(isWebSearch) || (wasEnabled && !toolsRemoved.some(({ name }) => name === webSearch.name));
}

function isWebSearch({ name, from }: Tool): boolean {
  return from === "provider" && name === webSearch.name;
}

/** A tool of the host with the same name. It stays declared, and providers refuse two tools with one name. */
function isHostSearch({ name, from }: Tool): boolean {
  return from === undefined && name === webSearch.name;
}
