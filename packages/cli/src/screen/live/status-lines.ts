/** What is under way, in one line, with how to stop it; nothing where nothing is. */

import type { Brush } from "../drawing/brush.ts";
import type { ScreenState } from "../state/screen-state.ts";

export function statusLines({ work }: ScreenState, { theme, now }: Brush): readonly string[] {
  if (work.type === "idle") return [];
  const seconds = Math.round((now - work.since) / 1000);
  return ["", theme.accent(`● ${work.type === "running" ? work.doing : work.type} · ${seconds} s · Esc stops it`)];
}
