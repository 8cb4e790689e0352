/** `/resume` on the screen: the page of sessions; with words behind it the session they mean, wherever it belongs. */

import { listSessions } from "@pith/context/node";
import { keptBack } from "../../../commands/sessions/may-leave.ts";
import { resume as command } from "../../../commands/sessions/resume.ts";
import { nextWish, show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";
import { chosenSession } from "./choosing/choose-session.ts";
import { settledFolder } from "./choosing/settled-folder.ts";

export async function resume(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return await named(words, talking);
  const { ready, desk, screen, leave } = talking;
  const session = await chosenSession(screen, { cwd: desk.cwd, home: desk.home, here: desk.sessionPath });
  if (!session) return true;
  const target = session.type === "named" ? { targetSessionFile: session.name } : {};
  const kept = await keptBack({ type: "session_before_switch", reason: "resume", ...target }, desk);
  if (kept) await show(kept, talking);
  else leave({ ...nextWish(ready), session });
  return true;
}

async function named(words: string, talking: Talking): Promise<boolean> {
  const { ready, desk, screen, leave } = talking;
  const answer = await command.run(words, desk);
  const all = answer.type === "opened" ? await listSessions({ env: { PITH_HOME: desk.home } }) : [];
  const item = all.find(({ path }) => answer.type === "opened" && path === answer.path);
  // One that lies elsewhere belongs to no folder of ours.
  if (!item) await show(answer, talking);
  else {
    const settled = await settledFolder(item, { screen, ...desk });
    if (settled.type === "failed") screen.tell(settled.why, "bad");
    if (settled.type === "settled") leave({ ...nextWish(ready), session: { type: "named", name: settled.path } });
  }
  return true;
}
