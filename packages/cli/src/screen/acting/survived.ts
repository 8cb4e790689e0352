/** A talk goes on, whatever became of one act: a full disk is told, and so is what must not happen. */

import { NotWritten } from "@pith/agent";
import type { Talking } from "./talking.ts";

export async function survived(act: () => Promise<void>, { screen, ready }: Talking): Promise<void> {
  try {
    await act();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const told = error instanceof NotWritten ? words : `this must not happen: ${words}`;
    screen.tell(ready.built.agent.session.redacted(told), "bad");
  }
}
