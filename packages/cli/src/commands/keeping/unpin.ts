/** `/unpin`: words need no longer be kept as they are. */

import { type Appended, type Pin, plainText, type Session, unpin as takeAway } from "@pith/context";
import { mistake } from "../../asking/mistake.ts";
import { told, written } from "../answers.ts";
import type { Command } from "../command.ts";
import { mayMean } from "../walking/short-id.ts";
import { pinsTold } from "./pins-told.ts";

export const unpin: Command = {
  name: "unpin",
  takes: "[pin]",
  says: "let go of a pin, by its number or id; alone: what is pinned",
  examples: ["/unpin 1"],
  async run(words, { agent }) {
    if (words === "") return pinsTold(agent.session);
    const { pins } = agent.session.window.state;
    const [found, another] = pinsMeant(words, pins);
    if (!found) return mistake(`there is no pin "${plainText(words, 40)}"; /pin shows them`);
    if (another) return mistake(`several pins begin with "${plainText(words, 40)}"; say more of it`);
    const appended = await agent.annotate((session) => taken(found, session));
    return written(appended, () => told(`no longer pinned: ${plainText(found.text)}`, agent.session.window.state.pins));
  },
};

/** Said twice while a run was under way, it is gone already when its moment comes. */
async function taken({ id }: Pin, session: Session): Promise<Appended> {
  const isThere = session.window.state.pins.some((pin) => pin.id === id);
  return isThere ? await takeAway(session, id) : { type: "appended", leaf: session.leaf };
}

/** By its place in the list, by its id or the beginning of it, or by the entry whose words it keeps. */
function pinsMeant(words: string, pins: readonly Pin[]): readonly Pin[] {
  if (/^\d{1,3}$/.test(words)) return pins.slice(Number(words) - 1, Number(words));
  const isMeant = (id: string): boolean => id === words || (words.length >= SHORTEST && mayMean(words, id));
  return pins.filter(({ id, entryId = id }) => isMeant(id) || isMeant(entryId));
}

/** What is shorter is the beginning of too many. */
const SHORTEST = 4;
