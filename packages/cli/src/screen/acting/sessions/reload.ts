/** `/reload` on the screen: with extensions the session is opened anew, so that they are loaded anew. */

import { reload as command } from "../../../commands/choosing/reload.ts";
import { whatHolds } from "../../../home/what-holds.ts";
import { nextWish, show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";

export async function reloadOnScreen(words: string, talking: Talking): Promise<boolean> {
  const { ready, desk, leave } = talking;
  const { sessionPath: name, agent } = desk;
  if (words !== "" || !desk.extensions || name === null || agent.isRunning || agent.isBusy) return false;
  // Nobody leaves a session that could not be opened again.
  const holds = await whatHolds(ready.wish, ready.place);
  if (holds.type === "mistake") return false;
  await show(await command.run(words, { ...desk, extensions: null }), talking);
  const session = agent.session.leaf === null ? ({ type: "new" } as const) : ({ type: "named", name } as const);
  leave({ ...nextWish(ready), session }, "reload");
  return true;
}
