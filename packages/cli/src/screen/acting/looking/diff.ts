/** `/diff` on a screen: a page with the files that were changed, and the changes of the one that is chosen. */

import { diffPanel } from "../../panels/looking/diff-panel.ts";
import type { Opener } from "../talking.ts";

export const diffOnScreen: Opener = async (words, { ready, desk, screen }) => {
  if (words !== "") return false;
  const { sessionChanges } = await import("../../../commands/looking/session-changes.ts");
  const files = ready.built.agent.session.redacted(await sessionChanges(desk));
  if (files.length === 0) return false;
  await screen.ask(diffPanel(files), { where: "page" });
  return true;
};
