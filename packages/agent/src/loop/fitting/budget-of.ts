/** How much is too much for who speaks. */

import { type Budget, budgetFor } from "@pith/context";
import type { RunParts } from "../run-parts.ts";

export function budgetOf({ limits, model }: Pick<RunParts, "limits" | "model">): Budget {
  const { api, provider, model: name, contextWindow } = model;
  return budgetFor(limits, { contextWindow, to: { api, provider, model: name } });
}
