/** What waits to be heard: sent off for later, or taken back to be written anew. */

import { survived } from "./sessions/survived.ts";
import { submit } from "./submit.ts";
import type { Talking } from "./talking.ts";
import { takenBack } from "./typing/taken-back.ts";

/** Says what stands in the editor when the work under way is done; where nothing is, at once. */
export function followUp(talking: Talking): boolean {
  const written = talking.screen.editor?.taken() ?? null;
  if (written) void survived(() => submit(written, talking, "afterwards"), talking);
  return true;
}

/** False where nothing waits. */
export function takeBack(talking: Talking): boolean {
  if (talking.ready.built.agent.queue.length === 0) return false;
  void survived(() => takenBack(talking), talking);
  return true;
}
