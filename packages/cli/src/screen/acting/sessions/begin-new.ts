/** `/new` on the screen: a session that leaves no file behind, if nothing is said in it. */

import { nextWish } from "../show-answer.ts";
import type { Talking } from "../talking.ts";

export async function beginNew(words: string, { ready, desk, leave }: Talking): Promise<boolean> {
  if (words !== "") return false;
  leave({ ...nextWish(ready), session: { type: desk.sessionPath === null ? "none" : "new" } });
  return true;
}
