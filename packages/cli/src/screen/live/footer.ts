/** The footer: who speaks, where, at what cost, and how full the context is. */

import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import type { Facts } from "../state/facts.ts";

export function footer({ model, folder, mode, meter }: Facts, { theme }: Brush): readonly string[] {
  const full = meter?.limit ? ` · ${Math.round((meter.tokens / meter.limit) * 100)} %` : "";
  return [theme.dim(plain(`${folder} · ${model} · ${mode}${full}`))];
}
