/** Which of the tools here the model is given, and what its provider does beside them. */

import { fetchesFreely, type Permissions, type Tool } from "@pith/agent";
import type { Model, Tool as ToolSchema } from "@pith/context";
import { searches, webSearch } from "@pith/models";
import { allTools, usualTools } from "../home/settings/known/tool-names.ts";

/** Where nobody names any, those that every task needs, and those that extensions bring. */
export function chosenTools(
  tools: readonly Tool[],
  { names, more = [] }: { readonly names?: readonly string[] | undefined; readonly more?: readonly Tool[] | undefined },
): readonly Tool[] {
  const isMeant = ({ name }: Tool): boolean => (names ?? usualTools).includes(name);
  if (names?.includes("all")) return [...tools, ...more];
  return [...tools.filter(isMeant), ...(names ? more.filter(isMeant) : more)];
}

/** For people: the names that are neither ours nor of an extension. */
export function unbrought(names: readonly string[] = [], more: readonly Tool[]): readonly string[] {
  const known = [...allTools, "all", ...more.map(({ name }) => name)];
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.map((name) => `no extension here brings a tool ${name}; pith extensions list shows what they bring`);
}

/** Who may fetch may search as well, where the provider itself does it. */
export function providedTools(
  tools: readonly Tool[],
  { permissions, model }: { readonly permissions: Permissions; readonly model: Model },
): readonly ToolSchema[] {
  const isMeant = fetchesFreely(permissions) && tools.some(({ name }) => name === "fetch") && searches(model);
  return isMeant ? [webSearch] : [];
}
