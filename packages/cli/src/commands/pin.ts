/** Implements `/pin` and `/unpin`: texts that every compaction keeps verbatim. */

import { type AppendResult, pinEntry, pinText, type Session, unpin as takeAway } from "@pith/context";
import { entryText, type Pin, sanitizeLine } from "@pith/context/host";
import { findEntry, mayMean, shortId } from "../sessions/entries.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, told, written } from "./command.ts";

export function pinsTold(session: Session): Answer {
  const { pins } = session.branch.state;
  if (pins.length === 0) return told("nothing is pinned; /pin and some words keep them through every compaction", []);
  return told(pins.map(lineOf).join("\n"), pins);
}

function lineOf({ id, text }: Pin, at: number): string {
  return `${String(at + 1).padStart(2)}  ${shortId(id)}  ${sanitizeLine(text, WIDTH)}`;
}

const WIDTH = 100;

export const pin: Command = {
  name: "pin",
  takes: "[words|entry]",
  says: "keep words, or those of an entry, through every compaction; alone: what is pinned",
  examples: ["/pin Never push to main.", "/pin 3f2a9c11", "/pin"],
  async run(words, desk) {
    if (words === "") return pinsTold(desk.agent.session);
    const entryId = await entryMeant(words, desk);
    return entryId === null ? await wordsPinned(words, desk) : await entryPinned(entryId, desk);
  },
};

/** A single word that is the id or the label of an entry; all else is words. */
async function entryMeant(words: string, { agent: { session } }: Desk): Promise<string | null> {
  if (/\s/.test(words)) return null;
  const found = await findEntry(words, session);
  return found.type === "found" ? found.entry.id : null;
}

async function wordsPinned(words: string, { agent }: Desk): Promise<Answer> {
  const appended = await agent.appendToSession((session) => pinText(session, words));
  return written(appended, () => told(`pinned: ${sanitizeLine(words)}`, agent.session.branch.state.pins));
}

async function entryPinned(entryId: string, { agent }: Desk): Promise<Answer> {
  const { store, branch: window } = agent.session;
  const entry = await store.entry(entryId);
  const text = entry ? entryText(entry, window.edits) : "";
  if (text.trim() === "") return mistake(`${shortId(entryId)} has no words to pin`);
  const appended = await agent.appendToSession((session) => pinEntry(session, entryId));
  return written(appended, () => told(`pinned: ${sanitizeLine(text)}`, agent.session.branch.state.pins));
}

export const unpin: Command = {
  name: "unpin",
  takes: "[pin]",
  says: "let go of a pin, by its number or id; alone: what is pinned",
  examples: ["/unpin 1"],
  async run(words, { agent }) {
    if (words === "") return pinsTold(agent.session);
    const { pins } = agent.session.branch.state;
    const [found, another] = pinsMeant(words, pins);
    if (!found) return mistake(`there is no pin "${sanitizeLine(words, 40)}"; /pin shows them`);
    if (another) return mistake(`several pins begin with "${sanitizeLine(words, 40)}"; say more of it`);
    const appended = await agent.appendToSession((session) => taken(found, session));
    return written(appended, () =>
      told(`no longer pinned: ${sanitizeLine(found.text)}`, agent.session.branch.state.pins),
    );
  },
};

/** Said twice while a run was under way, it is gone already when its moment comes. */
async function taken({ id }: Pin, session: Session): Promise<AppendResult> {
  const isThere = session.branch.state.pins.some((pin) => pin.id === id);
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
