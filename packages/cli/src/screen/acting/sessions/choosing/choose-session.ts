/** Choosing a session on its page, and where to work with it if it belongs to another folder. */

import { listSessions, type SessionItem } from "@pith/context/node";
import type { SessionWish } from "../../../../asking/wish.ts";
import { ageTold } from "../../../../printing/amounts.ts";
import { clipped } from "../../../../printing/clipped.ts";
import { choice } from "../../../panels/choice.ts";
import { sessionsPanel } from "../../../panels/sessions/sessions-panel.ts";
import { aboutTold } from "../../../panels/sessions/wording.ts";
import type { Stage } from "../../../stage.ts";
import { type ChoosingPlace, diskSource } from "./disk-source.ts";
import { settledFolder } from "./settled-folder.ts";

/** Null where one stays where one is. `note` is told on the page; whoever thinks better of a folder comes back to it. */
export async function chosenSession(
  screen: Stage,
  place: ChoosingPlace,
  note: string | null = null,
): Promise<SessionWish | null> {
  for (let told = note; ; ) {
    const item = screen.hasPages
      ? await screen.ask(sessionsPanel(diskSource(place), told), { where: "page" })
      : await namedByNumber(screen, place);
    if (!item || item.path === place.here) return null;
    const settled = await settledFolder(item, { screen, ...place });
    if (settled.type === "settled") return { type: "named", name: settled.path };
    told = settled.type === "failed" ? settled.why : null;
    // Also where the page has no room for all of it, or there is none.
    if (told !== null) screen.tell(told, "bad");
  }
}

/** Where nothing is drawn: the newest ones, by their numbers. */
async function namedByNumber(screen: Stage, { cwd, home }: ChoosingPlace): Promise<SessionItem | null> {
  const all = await listSessions({ cwd, env: { PITH_HOME: home } });
  const newest = all.filter(({ firstMessage }) => firstMessage !== "").slice(0, MOST);
  const options = newest.map((item) => ({
    label: clipped(aboutTold(item, undefined), WIDTH),
    says: ageTold(Date.now() - item.modified),
    value: item,
  }));
  if (options.length > 0) return await screen.ask(choice({ title: "Which session?", options }), { where: "inline" });
  screen.tell("no session of this folder yet");
  return null;
}

const MOST = 9;
const WIDTH = 60;
