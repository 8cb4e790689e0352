/** Waits for some to end. Whoever stops the call meanwhile ends them. */

import type { ToolCall } from "@pith/agent";
import type { Crew } from "../running/crew.ts";
import type { Member } from "../running/member.ts";
import type { Result } from "../running/result-text.ts";

export interface Waiting {
  readonly call: ToolCall;
  readonly crew: Crew;
}

/** In the order of their tasks. */
export async function endsOfAll(members: readonly Member[], { call, crew }: Waiting): Promise<readonly Result[]> {
  const stop = (): void => {
    for (const member of members) if (member.result === null) void crew.drop(member);
  };
  // It may have been stopped while they were being started.
  if (call.signal.aborted) stop();
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.all(members.map(({ ended }) => ended));
  } finally {
    call.signal.removeEventListener("abort", stop);
  }
}
