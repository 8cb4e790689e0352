/** One session after another on the same screen: the next is open before the one before it is closed, and where it cannot be opened, one stays. */

import type { Wish } from "../../../asking/wish.ts";
import type { Arrival } from "../../../extending/acting/arrive.ts";
import type { Exit } from "../../../work.ts";
import type { Notifier } from "../../notifying/notifier.ts";
import type { Stage } from "../../stage.ts";
import { trustAsked } from "../permitting/ask-trust.ts";
import { openTalk, type Talk } from "../talk.ts";
import { firstWish } from "./first-wish.ts";

export interface Showing {
  readonly screen: Stage;
  readonly notifier: Notifier | undefined;
  /** Told of each that gets the screen. */
  readonly shown: (talk: Talk) => void;
}

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

interface Leaving {
  readonly screen: Stage;
  /** The one that trust was given for. */
  readonly folder: string;
}

/** Who trusts one folder has said nothing of another. */
async function trusted(next: Wish, { screen, folder }: Leaving): Promise<Wish> {
  return await trustAsked({ ...next, trusts: next.trusts && process.cwd() === folder }, screen);
}

/** Also in the folder, if one was on the way to another. */
function stay({ message = "" }: Exit, { screen, folder, isTalking }: Leaving & { readonly isTalking: boolean }): void {
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
