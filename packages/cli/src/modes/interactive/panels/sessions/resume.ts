/** Implements `/resume`, `/new` and `/reload`, and asks where to work with a session of another folder. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { refusalNotes } from "@pith/context";
import { listSessions, rebindSession, type SessionItem } from "@pith/context/node";
import type { SessionWish } from "../../../../args/args.ts";
import { keptBack } from "../../../../commands/command.ts";
import { resume as command } from "../../../../commands/sessions.ts";
import { reload as reloadCommand } from "../../../../commands/settings.ts";
import { whyNot } from "../../../../sessions/find-session.ts";
import { whatHolds } from "../../../../settings/resolve.ts";
import { ageTold } from "../../../../text/format.ts";
import { clipped } from "../../../../text/safe-text.ts";
import type { Stage, Talking } from "../../screen-context.ts";
import { nextWish, show } from "../../send.ts";
import { choice, type Option } from "../choice.ts";
import { type ChoosingPlace, diskSource } from "./disk-source.ts";
import { aboutTold, folderTold } from "./draw.ts";
import { sessionsPanel } from "./panel.ts";

export interface FolderPlace {
  readonly screen: Stage;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
}

export type Settled =
  /** The path of the session then. */
  | { readonly type: "settled"; readonly path: string }
  /** Somebody thought better of it. */
  | { readonly type: "left" }
  | { readonly type: "failed"; readonly why: string };

/** A session stays usable when its folder is gone. */
export async function settledFolder(item: SessionItem, { screen, cwd, home }: FolderPlace): Promise<Settled> {
  if (item.cwd === "" || item.cwd === cwd) return { type: "settled", path: item.path };
  const isThere = await isFolder(item.cwd);
  const folder = folderTold(item.cwd, homedir());
  const title = isThere ? `This session belongs to ${folder}.` : `The folder of this session is gone: ${folder}`;
  const options = [...(isThere ? [goThere] : []), stayHere, bringHere];
  switch (await screen.ask(choice({ title, options }), { where: "inline" })) {
    case "there":
      return entered(item);
    case "here":
      return { type: "settled", path: item.path };
    case "bring":
      return await brought(item, { cwd, home });
    default:
      return { type: "left" };
  }
}

type Where = "there" | "here" | "bring";

const goThere: Option<Where> = { key: "t", label: "Work there", says: "as before", value: "there" };
const stayHere: Option<Where> = { key: "h", label: "Work here", says: "this time", value: "here" };
const bringHere: Option<Where> = {
  key: "b",
  label: "Bring it here",
  says: "it belongs to this folder from now on",
  value: "bring",
};

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // Not there, or closed to us: nobody can work in it.
  );
}

function entered({ cwd, path }: SessionItem): Settled {
  try {
    process.chdir(cwd);
    return { type: "settled", path };
  } catch {
    // It may be looked at and not be entered, or be gone since.
    return { type: "failed", why: `${folderTold(cwd, homedir())} cannot be entered; work here, or bring it here` };
  }
}

async function brought({ path }: SessionItem, { cwd, home }: Omit<FolderPlace, "screen">): Promise<Settled> {
  const outcome = await rebindSession(path, cwd, { env: { PITH_HOME: home } });
  if (outcome.type === "rebound") return { type: "settled", path: outcome.path };
  const why =
    outcome.type === "refused"
      ? refusalNotes[outcome.why]
      : outcome.type === "leaf-moved"
        ? "another process writes this session; end it first"
        : whyNot(outcome);
  return { type: "failed", why };
}

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

/** The new session leaves no file behind if no message is sent in it. */
export async function beginNew(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { ready, desk, leave } = talking;
  const kept = await keptBack({ type: "session_before_switch", reason: "new" }, desk);
  if (kept) await show(kept, talking);
  else leave({ ...nextWish(ready), session: { type: desk.sessionPath === null ? "none" : "new" } }, "new");
  return true;
}

/** With extensions the session is opened again, so that they are loaded again. */
export async function reloadOnScreen(words: string, talking: Talking): Promise<boolean> {
  const { ready, desk, leave } = talking;
  const { sessionPath: name, agent } = desk;
  if (words !== "" || !desk.extensions || name === null || agent.isRunning || agent.isBusy) return false;
  // Nobody leaves a session that could not be opened again.
  const holds = await whatHolds(ready.wish, ready.place);
  if (holds.type === "mistake") return false;
  await show(await reloadCommand.run(words, { ...desk, extensions: null }), talking);
  const session = agent.session.leaf === null ? ({ type: "new" } as const) : ({ type: "named", name } as const);
  leave({ ...nextWish(ready), session }, "reload");
  return true;
}
