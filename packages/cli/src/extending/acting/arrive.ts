/** The beginning of a session for its extensions: what they do reaches it from here on, and they are told how one came to it. */

import type { ExtensionActs, Extensions, SessionStartEvent } from "@pith/agent";

/** How one came to a session. */
export type Arrival = Omit<SessionStartEvent, "type">;

export interface Arriving {
  readonly extensions: Extensions;
  readonly acts: ExtensionActs;
  /** At the start of the program, unless said. */
  readonly arrival?: Arrival | undefined;
}

export async function arrive({ extensions, acts, arrival }: Arriving): Promise<void> {
  extensions.bind(acts);
  await extensions.asked({ type: "session_start", reason: "startup", ...arrival });
}
