/** Words for the model: at once, or where it is at work, before its next request. */

import type { Content } from "@pith/agent";
import type { Talking } from "./talking.ts";

export async function say(content: Content, { ready, screen }: Talking): Promise<void> {
  const { agent, missing } = ready.built;
  if (missing !== null) return screen.tell(missing, "bad");
  if (agent.isRunning) return await agent.steer(content);
  const run = agent.prompt(content);
  // All that happens is told by whoever listens.
  for await (const _ of run);
}
