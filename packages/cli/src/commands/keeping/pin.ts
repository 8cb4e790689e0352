/** `/pin`: words that every compaction keeps as they are. */

import { entryWords, pinEntry, pinWords, plainText } from "@pith/context";
import { mistake } from "../../asking/mistake.ts";
import { told, written } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";
import { findEntry } from "../walking/find-entry.ts";
import { shortId } from "../walking/short-id.ts";
import { pinsTold } from "./pins-told.ts";

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
  const appended = await agent.annotate((session) => pinWords(session, words));
  return written(appended, () => told(`pinned: ${plainText(words)}`, agent.session.window.state.pins));
}

async function entryPinned(entryId: string, { agent }: Desk): Promise<Answer> {
  const { store, window } = agent.session;
  const entry = await store.entry(entryId);
  const text = entry ? entryWords(entry, window.edits) : "";
  if (text.trim() === "") return mistake(`${shortId(entryId)} has no words to pin`);
  const appended = await agent.annotate((session) => pinEntry(session, entryId));
  return written(appended, () => told(`pinned: ${plainText(text)}`, agent.session.window.state.pins));
}
