/** The footer's figures at once, for what no entry tells of, such as automatic compaction being switched off. */

import { factsOf } from "../../state/facts-of.ts";
import { meterOf } from "../../state/meter-of.ts";
import type { Talking } from "../talking.ts";

export function refreshMeter({ ready, screen }: Pick<Talking, "ready" | "screen">): void {
  const { session, budget } = ready.built.agent;
  const meter = meterOf(session.window, budget);
  screen.change((state) => ({ ...state, facts: factsOf(ready, { ...state.facts, meter }) }));
}
