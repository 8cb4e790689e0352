/** Opens, runs and closes one session after another on the same screen. */

import { pithHome } from "@pith/context/node";
import type { Leaving } from "../../app/build.ts";
import { openDesk, type Ready, readied } from "../../app/start.ts";
import { shellLinesOf } from "../../app/user-shell.ts";
import type { Wish } from "../../args/args.ts";
import type { Arrival } from "../../extensions/session.ts";
import { wordFor } from "../../sessions/find-session.ts";
import type { Exit } from "../../text/process-io.ts";
import { begin } from "./begin-session.ts";
import type { Written } from "./editor/message.ts";
import { type Amid, pressed } from "./keys/actions.ts";
import type { Notifier } from "./notifications.ts";
import { askOn, consentHooks, trustAsked } from "./prompts.ts";
import { type Stage, survived, type Talking, type Way } from "./screen-context.ts";
import { type ScreenTelling, tellingOn } from "./session-output.ts";
import type { FactsKeeper } from "./state/track-footer.ts";
import { submit } from "./submit.ts";

export interface Departure {
  /** Goes on with another session, or ends. */
  readonly leave: Talking["leave"];
  readonly left: () => Promise<Wish | null>;
  /** Whether somebody has said so, and it is not yet known whether it can be gone to. */
  readonly isLeaving: () => boolean;
  /** How one goes to the session that was said last. */
  readonly way: () => Way;
}

export function departure(): Departure {
  let next = Promise.withResolvers<Wish | null>();
  let isLeaving = false;
  let hasLeft = false;
  let way: Way = "resume";
  return {
    leave: (wish, reason = "resume") => {
      isLeaving = true;
      way = reason;
      next.resolve(wish);
    },
    isLeaving: () => isLeaving,
    way: () => way,
    // Whoever waits again could not go there: one stays, and may leave once more.
    left: async () => {
      if (isLeaving && hasLeft) [isLeaving, next] = [false, Promise.withResolvers()];
      hasLeft = false;
      const wish = await next.promise;
      hasLeft = true;
      return wish;
    },
  };
}

/** Null where nothing is kept, or nothing was said. */
export function wayBack({ built, place: { home } }: Ready): string | null {
  const { agent, sessionPath: path, flags } = built;
  if (path === null || agent.session.leaf === null) return null;
  const { id } = agent.session.store.header;
  return `go on with pith -c${flags}, or from anywhere with pith --session ${wordFor({ id, path }, home)}${flags}`;
}

export interface Talk {
  pressed(key: string, amid?: Amid): boolean;
  submitted(given: string | Written): Promise<void>;
  /** From now on it has the screen: what was said before is shown, and what was asked for is said. */
  begin(arrival?: Arrival): Promise<void>;
  /** The session that comes next; null for none. */
  left(): Promise<Wish | null>;
  /** How one goes there. */
  way(): Way;
  /** Its file; null where nothing is kept. */
  readonly sessionPath: string | null;
  close(leaving?: Leaving): Promise<void>;
  /** How to go on with it another time, for people; null where nothing is kept. */
  wayBack(): string | null;
}

export type OpenedTalk =
  | { readonly type: "opened"; readonly talk: Talk }
  | { readonly type: "failed"; readonly exit: Exit };

export async function openTalk(wish: Wish, screen: Stage, notifier?: Notifier): Promise<OpenedTalk> {
  let asking: Talking | null = null;
  const telling = tellingOn(screen, notifier);
  const { note, conceal, listen, ui, turns } = telling;
  const ask = askOn(screen, { talking: () => asking, notifier, turns });
  const hooks = consentHooks(() => asking);
  const ready = await readied(wish, { note, conceal, listen, ui, ask, hooks, arrival: "later", needsModel: false });
  if (ready.type !== "ready") telling.shut();
  if (ready.type === "mistake") return { type: "failed", exit: { code: 2, message: ready.message } };
  if (ready.type === "failed") return { type: "failed", exit: { code: 1, message: ready.message } };
  const next = ready.built.missing === null ? null : await firstStarted(ready, screen);
  if (next) {
    telling.shut();
    await ready.built.close();
    return await openTalk(next, screen, notifier);
  }
  const desk = openDesk(ready.built, { ...ready.place, sources: ready.sources, note: telling.note });
  const { leave, left, isLeaving, way } = departure();
  const talking: Talking = { ready, desk, screen, leave };
  asking = talking;
  notifier?.follow(() => ready.built.standing().choices.notify);
  return { type: "opened", talk: { ...talkOf(talking, telling, isLeaving), left, way } };
}

/** Loaded where nobody can speak. */
async function firstStarted(ready: Ready, screen: Stage): Promise<Wish | null> {
  const { firstStart } = await import("./onboarding/first-start.ts");
  return await firstStart(ready, screen);
}

function talkOf(talking: Talking, { open, shut }: ScreenTelling, isLeaving: () => boolean): Omit<Talk, "left" | "way"> {
  const { ready } = talking;
  let facts: FactsKeeper | null = null;
  let closed: Promise<void> | null = null;
  const begun = Promise.withResolvers<void>();
  const closedOnce = async (leaving: Leaving | undefined): Promise<void> => {
    const shell = shellLinesOf(ready);
    shell.stopAll();
    await ready.built.agent.abort();
    await shell.ended();
    shut();
    facts?.stop();
    await ready.built.close(leaving);
  };
  return {
    pressed: (key, amid) => pressed(key, talking, amid),
    // Whoever was quicker than the start is heard behind it.
    submitted: async (given) => {
      await begun.promise;
      if (!isLeaving()) return await survived(() => submit(given, talking), talking);
      // It is for the session that comes.
      talking.screen.words.set(typeof given === "string" ? given : given.text);
    },
    sessionPath: ready.built.sessionPath,
    begin: async (arrival) => {
      await ready.arrive(arrival);
      await begin(talking, open);
      begun.resolve();
      facts = (await import("./state/track-footer.ts")).keepFacts(talking);
    },
    close: (leaving) => {
      closed ??= closedOnce(leaving);
      return closed;
    },
    wayBack: () => wayBack(ready),
  };
}

/** Null where none was chosen. `note`: why the one before it could not be had. */
export async function firstWish(wish: Wish, screen: Stage, note: string | null = null): Promise<Wish | null> {
  if (wish.session.type !== "choose") return wish;
  const { chosenSession } = await import("./panels/sessions/resume.ts");
  const place = { cwd: process.cwd(), home: pithHome(), here: null };
  const session = await chosenSession(screen, place, note);
  return session && { ...wish, session };
}

export interface Showing {
  readonly screen: Stage;
  readonly notifier: Notifier | undefined;
  /** Told of each that gets the screen. */
  readonly shown: (talk: Talk) => void;
}

/** The next session is opened before the current one is closed; where that fails, the current one stays. */
export async function oneAfterAnother(wish: Wish, { screen, notifier, shown }: Showing): Promise<Exit> {
  let talk: Talk | null = null;
  let folder = process.cwd();
  for (let next = await firstWish(wish, screen); next; ) {
    const isKnown = talk !== null && process.cwd() === folder;
    // It cannot be opened a second time while it is open.
    const closed = talk?.way() === "reload" ? await departed(talk, talk) : null;
    const opened = await openTalk(isKnown ? next : await trusted(next, { screen, folder }), screen, notifier);
    if (opened.type === "failed" && closed) return opened.exit;
    if (opened.type === "failed" && !talk && wish.session.type !== "choose") return opened.exit;
    if (opened.type === "failed") stay(opened.exit, { screen, folder, isTalking: talk !== null });
    else {
      const arrival = closed ?? (await departed(talk, opened.talk));
      talk = opened.talk;
      folder = process.cwd();
      shown(talk);
      await talk.begin(arrival);
    }
    // With none to stay in, another one is chosen.
    next = talk ? await talk.left() : await firstWish(wish, screen, whyNot(opened));
  }
  return farewell(talk);
}

/** The one before is closed; how one came to the next from there. */
async function departed(talk: Talk | null, next: Pick<Talk, "sessionPath">): Promise<Arrival> {
  if (!talk) return { reason: "startup" };
  const reason = talk.way();
  await talk.close({ reason, ...(next.sessionPath !== null && { targetSessionFile: next.sessionPath }) });
  return { reason, ...(talk.sessionPath !== null && { previousSessionFile: talk.sessionPath }) };
}

interface LeaveOptions {
  readonly screen: Stage;
  /** The one that trust was given for. */
  readonly folder: string;
}

/** Who trusts one folder has said nothing of another. */
async function trusted(next: Wish, { screen, folder }: LeaveOptions): Promise<Wish> {
  return await trustAsked({ ...next, trusts: next.trusts && process.cwd() === folder }, screen);
}

/** Also in the folder, if one was on the way to another. */
function stay(
  { message = "" }: Exit,
  { screen, folder, isTalking }: LeaveOptions & { readonly isTalking: boolean },
): void {
  screen.tell(isTalking ? `one stays in this session: ${message}` : message, "bad");
  if (process.cwd() !== folder) process.chdir(folder);
}

function whyNot(opened: Awaited<ReturnType<typeof openTalk>>): string | null {
  return opened.type === "failed" ? (opened.exit.message ?? null) : null;
}

function farewell(talk: Talk | null): Exit {
  const message = talk?.wayBack() ?? null;
  return message === null ? { code: 0 } : { code: 0, message };
}
