/** What waits to be heard: sent off for later, or taken back to be written anew. */

import type { Talking } from "./talking.ts";
import { takenBack } from "./typing/taken-back.ts";

/** Says what stands in the editor when the work under way is done; where nothing is, at once. */
export function followUp({ screen }: Talking): true {
  screen.editor?.sendForLater();
  return true;
}

/** False where nothing waits. */
export function takeBack(talking: Talking): false | Promise<void> {
  return talking.ready.built.agent.queue.length > 0 && takenBack(talking);
}
