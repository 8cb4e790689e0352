/** Asks before a compaction that nobody asked for, where the settings want that; loaded when the first is due. */

import type { AgentHooks } from "@pith/agent";
import type { Talking } from "../talking.ts";
import type { Consenting } from "./ask-before-compacting.ts";

/** `talking` is null until the session is open. */
export function consentHooks(talking: () => Talking | null): AgentHooks {
  let consenting: Consenting | null = null;
  return {
    session_before_compact: [
      async (event) => {
        const about = talking();
        if (!about?.ready.place.choices.compaction?.ask || event.reason !== "threshold") return undefined;
        const { Consenting } = await import("./ask-before-compacting.ts");
        consenting ??= new Consenting(about);
        return await consenting.answer(event);
      },
    ],
  };
}
