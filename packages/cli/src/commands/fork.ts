/** Implements `/fork` (a new session from before one of your messages) and `/clone` (a copy of the current branch). */

import type { Entry } from "@pith/context";
import { authorOf, sanitizeLine } from "@pith/context/host";
import { forkSession } from "@pith/context/node";
import { entryEditableText } from "../resources/attachments.ts";
import { entryDisplayText, findEntry, lostTold, shortId } from "../sessions/entries.ts";
import { wayTo } from "../sessions/tree-lines.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, failed, keptBack, nothingKept, told } from "./command.ts";

type ForkResult = Awaited<ReturnType<typeof forkSession>>;

export function copiedTo(outcome: ForkResult, draft?: string): Answer {
  switch (outcome.type) {
    case "forked": {
      const { path, id, missing } = outcome;
      const text = `a new session: ${id.slice(0, 8)}${lostTold(missing)}`;
      return { type: "opened", reason: "fork", path, id, text, ...(draft !== undefined && { draft }) };
    }
    case "held":
      return failed(`process ${outcome.owner.pid} writes this session; end it, and try again`);
    case "no-entry":
    case "unavailable":
      return failed(outcome.why);
  }
}

export const fork: Command = {
  name: "fork",
  aliases: ["branch"],
  takes: "[entry]",
  says: "a new session from before one of your messages; alone: your messages",
  examples: ["/fork", "/fork 3f2a9c11"],
  async run(words, desk) {
    if (desk.sessionPath === null) return nothingKept("fork");
    return words === "" ? await messagesTold(desk) : await forked(words, desk);
  },
};

async function forked(name: string, desk: Desk): Promise<Answer> {
  const found = await findEntry(name, desk.agent.session);
  if (found.type === "mistake") return found;
  const { entry } = found;
  if (!isYours(entry))
    return mistake(`${shortId(entry.id)} is no message of yours; /fork shows them, /clone copies the branch`);
  return await forkedAt(entry, desk);
}

/** A session of its own that ends with this entry; before it, with its words to be changed, where it was said (B63). */
export async function forkedAt(entry: Entry, desk: Desk): Promise<Answer> {
  const { agent, sessionPath, home } = desk;
  const { session } = agent;
  if (sessionPath === null) return nothingKept("fork");
  const isSaid = isSaidAnew(entry);
  const position = isSaid ? "before" : "at";
  const kept = await keptBack({ type: "session_before_fork", entryId: entry.id, position }, desk);
  if (kept) return kept;
  const outcome = await forkSession(session, { leaf: isSaid ? entry.parentId : entry.id, env: { PITH_HOME: home } });
  return copiedTo(outcome, isSaid ? entryEditableText(entry) : undefined);
}

/** What a person or a program said: going there means to say it differently. */
export function isSaidAnew(entry: Entry): boolean {
  return entry.type === "custom_message" || (entry.type === "message" && entry.message.role === "user");
}

function isYours(entry: Entry): boolean {
  return entry.type === "message" && authorOf(entry) === "person";
}

/** The newest of the branch, the last one last. */
async function messagesTold({ agent: { session } }: Desk): Promise<Answer> {
  const said = (await wayTo(session.leaf, session.store, MOST_SEEN)).filter(isYours).slice(-MOST);
  if (said.length === 0) return told("you have said nothing on this branch yet; /tree shows all of them", []);
  const items = said.map((entry) => ({ id: entry.id, words: sanitizeLine(entryDisplayText(entry), WIDTH) }));
  const lines = items.map(({ id, words }) => `${shortId(id)}  ${words}`);
  return told([...lines, "From before which? /fork and its id"].join("\n"), items);
}

const MOST = 30;
/** Entries that are looked at for them. */
const MOST_SEEN = 5_000;
const WIDTH = 90;

export const clone: Command = {
  name: "clone",
  says: "this branch once more, as a session of its own",
  async run(_, desk) {
    const { agent, sessionPath, home } = desk;
    const { session } = agent;
    if (sessionPath === null) return nothingKept("clone");
    if (session.leaf === null)
      return mistake("nothing was said yet, so there is nothing to copy; /new begins a session");
    const kept = await keptBack({ type: "session_before_fork", entryId: session.leaf, position: "at" }, desk);
    if (kept) return kept;
    return copiedTo(await forkSession(session, { env: { PITH_HOME: home } }));
  },
};
