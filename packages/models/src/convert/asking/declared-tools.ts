/** The tools of a request: the provider's own search, those it began with, then those that were added since, each name once. */

import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import type { ModelName, Request, Tool } from "@pith/context";
import { declaredSearch } from "../served/own-search.ts";
import { cacheMark, marksOf } from "./cache-marks.ts";

export function declaredTools(
  request: Request,
  to: ModelName,
): (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[] {
  const search = declaredSearch(request, to);
  const functions = declaredFunctions(request, to);
  return search ? [search, ...functions] : functions;
}

// Those that were removed stay: without them the prefix would be another one. The text in place says that they are gone.
function declaredFunctions(request: Request, to: ModelName): LanguageModelV4FunctionTool[] {
  const byName = toolsByName(request);
  const isMarked = marksOf(request, to).some(({ after }) => after === "tools");
  return [...byName.values()].map((tool, index) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
    ...(isMarked && index === byName.size - 1 && cacheMark),
  }));
}

/** As each was first told of. */
function toolsByName({ tools, messages }: Request): ReadonlyMap<string, Tool> {
  const added = messages.flatMap((message) => (message.role === "system" ? (message.toolsAdded ?? []) : []));
  const byName = new Map<string, Tool>();
  for (const tool of [...tools, ...added])
    if (tool.from !== "provider" && !byName.has(tool.name)) byName.set(tool.name, tool);
  return byName;
}
