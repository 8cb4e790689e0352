/** How much is too much for who speaks. */

import { type Budget, budgetFor } from "@pith/context";
import type { RunParts } from "../run-parts.ts";

export function budgetOf({ limits, model }: Pick<RunParts, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  const to = { api, provider, model: name };
  return budgetFor(limits(to), { contextWindow, to });
}
