/** Which of the tools here the model is given, and what its provider does beside them. */

import { fetchesFreely, type Permissions, type Tool } from "@pith/agent";
import type { Model, Tool as ToolSchema } from "@pith/context";
import { searches, webSearch } from "@pith/models";
import { usualTools } from "../home/settings/known/tool-names.ts";

export function chosenTools(tools: readonly Tool[], names: readonly string[] = usualTools): readonly Tool[] {
  return names.includes("all") ? tools : tools.filter(({ name }) => names.includes(name));
}

/** Who may fetch may search as well, where the provider itself does it. */
export function providedTools(
  tools: readonly Tool[],
  { permissions, model }: { readonly permissions: Permissions; readonly model: Model },
): readonly ToolSchema[] {
  const isMeant = fetchesFreely(permissions) && tools.some(({ name }) => name === "fetch") && searches(model);
  return isMeant ? [webSearch] : [];
}
