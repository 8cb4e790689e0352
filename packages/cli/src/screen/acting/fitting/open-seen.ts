/** `/seen` on a screen: what the model sees now, on a page. */

import { seenParts } from "../../../commands/fitting/seeing/seen-parts.ts";
import { seenPage } from "../../panels/fitting/seen-page.ts";
import type { Opener } from "../talking.ts";

export const openSeen: Opener = async (words, { ready, screen }) => {
  const { session, budget } = ready.built.agent;
  if (words !== "") return false;
  await session.settle();
  const parts = seenParts(session.window, budget.to);
  if (parts.length === 0) return false;
  await screen.ask(seenPage(parts, ready.built.agent.contextUsage().tokens), { where: "page" });
  return true;
};
