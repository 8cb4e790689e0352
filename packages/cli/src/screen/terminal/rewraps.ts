/** Whether a terminal that becomes narrower wraps what stands on it anew, or cuts it off: by what it says of itself. Pure. */

import type { Environment } from "@pith/models";

/** Where nobody knows it does: nearly all of them do. */
export function rewraps({ TMUX, STY, TERM = "", XTERM_VERSION }: Environment): boolean {
  // Whoever stands between has its own way, whatever it stands in: tmux wraps, screen cuts.
  if (TMUX) return true;
  return !STY && !XTERM_VERSION && !/^(?:linux|st)(?:-|$)/.test(TERM);
}
