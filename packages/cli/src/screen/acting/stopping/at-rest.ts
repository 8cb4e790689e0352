/** What is shown as under way ends with what was under way: not all that can fail or be stopped tells that it has ended. */

import type { Talking } from "../talking.ts";

/** While something is still under way, nothing changes. */
export function shownAtRest({ ready, screen }: Talking): void {
  const { agent } = ready.built;
  if (agent.isRunning || agent.session.occupied.length > 0) return;
  screen.change((state) => (state.work.type === "idle" ? state : { ...state, work: { type: "idle" } }));
}
