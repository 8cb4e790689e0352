/** One session on the screen: what is typed and pressed reaches its agent, and what happens in it is shown. */

import type { Wish } from "../../asking/wish.ts";
import type { Leaving } from "../../build.ts";
import type { Arrival } from "../../extending/acting/arrive.ts";
import { shellLinesOf } from "../../shell-lines/shell-lines.ts";
import type { Exit } from "../../work.ts";
import { openDesk } from "../../working/open-desk.ts";
import { type Ready, readied } from "../../working/readied.ts";
import type { Notifier } from "../notifying/notifier.ts";
import type { Stage } from "../stage.ts";
import type { Written } from "../typing/written.ts";
import type { FactsKeeper } from "./facts/keep-facts.ts";
import { consentHooks } from "./fitting/consent-hooks.ts";
import { askOn } from "./permitting/ask-on.ts";
import { type Amid, pressed } from "./pressed.ts";
import { begin } from "./sessions/begin.ts";
import { departure } from "./sessions/departure.ts";
import { wayBack } from "./sessions/way-back.ts";
import { submit } from "./submit.ts";
import { survived } from "./survived.ts";
import type { Talking, Way } from "./talking.ts";
import { type ScreenTelling, tellingOn } from "./telling-on.ts";

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
  const { firstStart } = await import("../starting/first-start.ts");
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
      facts = (await import("./facts/keep-facts.ts")).keepFacts(talking);
    },
    close: (leaving) => {
      closed ??= closedOnce(leaving);
      return closed;
    },
    wayBack: () => wayBack(ready),
  };
}
