/** `/new` on the screen: a session that leaves no file behind, if nothing is said in it. */

import { keptBack } from "../../../commands/sessions/may-leave.ts";
import { nextWish, show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";

export async function beginNew(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { ready, desk, leave } = talking;
  const kept = await keptBack({ type: "session_before_switch", reason: "new" }, desk);
  if (kept) await show(kept, talking);
  else leave({ ...nextWish(ready), session: { type: desk.sessionPath === null ? "none" : "new" } }, "new");
  return true;
}
