/** Ends whatever is under way, and nothing begins afterwards; what waited to be said comes back to whoever said it. */

import { survived } from "../survived.ts";
import type { Talking } from "../talking.ts";
import { shownAtRest } from "./at-rest.ts";

/** False where nothing was under way. */
export function stop(talking: Talking): boolean {
  if (!isAtWork(talking)) return false;
  void survived(() => stopped(talking), talking);
  return true;
}

async function stopped(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { agent } = ready.built;
  await Promise.all([agent.abort(), screen.state.shell.length > 0 && stopShell(talking)]);
  shownAtRest(talking);
  if (agent.queue.length === 0) return;
  const { takenBack } = await import("../typing/taken-back.ts");
  await takenBack(talking);
}

async function stopShell({ ready }: Talking): Promise<void> {
  const { shellLinesOf } = await import("../../../shell-lines/shell-lines.ts");
  shellLinesOf(ready).stopAll();
}

function isAtWork({ ready, screen: { state } }: Talking): boolean {
  return ready.built.agent.isRunning || state.work.type !== "idle" || state.shell.length > 0;
}
