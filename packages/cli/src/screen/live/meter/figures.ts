/** How full a context is, in figures, and whether anything happens by itself. Pure. */

import { amount } from "../../../printing/amounts.ts";
import type { Ink, Theme } from "../../drawing/theme.ts";
import type { Meter } from "../../state/facts.ts";

/** `context 46 %`: of what may be there before it is compacted; empty where nobody knows how much that is. */
export function fullTold(meter: Meter, theme: Theme): string {
  return meter.limit === null ? "" : theme[inkFor(meter)](`context ${percentOf(meter)} %`);
}

/** `84,211 / 183,616`, as `/context` has them. */
export function meterFigures(meter: Meter, theme: Theme): string {
  const { tokens, limit } = meter;
  if (limit === null) return theme.dim(`context ${amount(tokens)} tokens · window unknown`);
  return theme[inkFor(meter)](`${amount(tokens)} / ${amount(limit)}`);
}

/** Empty while everything is as usual. */
export function automaticTold({ isAutomatic, held }: Meter, theme: Theme): string {
  if (!isAutomatic) return theme.warning("auto off");
  if (held === null || held === "off") return "";
  return theme.warning(holds[held]);
}

const holds = { undone: "auto held: undone", breaker: "auto held: breaker" } as const;

function percentOf({ tokens, limit }: Meter): number {
  return limit === null || limit === 0 ? 100 : Math.round((100 * tokens) / limit);
}

function inkFor({ tokens, limit, soft }: Meter): Ink {
  if (limit !== null && tokens > limit) return "bad";
  return soft !== null && tokens > soft ? "warning" : "dim";
}
