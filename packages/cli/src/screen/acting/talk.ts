/** One session on the screen: what is typed and pressed reaches its agent, and what happens in it is shown. */

import type { AgentEvent } from "@pith/agent";
import { asItIs, type Redaction } from "@pith/context";
import type { Wish } from "../../asking/wish.ts";
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
import { titled } from "./sessions/title.ts";
import { wayBack } from "./sessions/way-back.ts";
import { submit } from "./submit.ts";
import { survived } from "./survived.ts";
import type { Talking } from "./talking.ts";
import { shellLinesEnded, stopShellLines } from "./typing/shell-line.ts";

export interface Talk {
  pressed(key: string, amid?: Amid): boolean;
  submitted(given: string | Written): Promise<void>;
  /** From now on it has the screen: what was said before is shown, and what was asked for is said. */
  begin(): Promise<void>;
  /** The session that comes next; null for none. */
  left(): Promise<Wish | null>;
  close(): Promise<void>;
  /** How to go on with it another time, for people; null where nothing is kept. */
  wayBack(): string | null;
}

export type OpenedTalk =
  | { readonly type: "opened"; readonly talk: Talk }
  | { readonly type: "failed"; readonly exit: Exit };

export async function openTalk(wish: Wish, screen: Stage, notifier?: Notifier): Promise<OpenedTalk> {
  let asking: Talking | null = null;
  const telling = tellingOn(screen, notifier);
  const ask = askOn(screen, { talking: () => asking, notifier });
  const ready = await readied(wish, { ...telling, ask, hooks: consentHooks(() => asking), needsModel: false });
  if (ready.type === "mistake") return { type: "failed", exit: { code: 2, message: ready.message } };
  if (ready.type === "failed") return { type: "failed", exit: { code: 1, message: ready.message } };
  const next = ready.built.missing === null ? null : await firstStarted(ready, screen);
  if (next) {
    await ready.built.close();
    return await openTalk(next, screen, notifier);
  }
  const desk = openDesk(ready.built, { ...ready.place, sources: ready.sources, note: telling.note });
  const { leave, left, isLeaving } = departure();
  const talking: Talking = { ready, desk, screen, leave };
  asking = talking;
  notifier?.follow(() => ready.built.standing().choices.notify);
  return { type: "opened", talk: { ...talkOf(talking, telling, isLeaving), left } };
}

/** Loaded where nobody can speak. */
async function firstStarted(ready: Ready, screen: Stage): Promise<Wish | null> {
  const { firstStart } = await import("../starting/first-start.ts");
  return await firstStart(ready, screen);
}

function talkOf(
  talking: Talking,
  { open, shut }: ReturnType<typeof tellingOn>,
  isLeaving: () => boolean,
): Omit<Talk, "left"> {
  const { ready } = talking;
  let facts: FactsKeeper | null = null;
  const begun = Promise.withResolvers<void>();
  return {
    pressed: (key, amid) => pressed(key, talking, amid),
    // Whoever was quicker than the start is heard behind it.
    submitted: async (given) => {
      await begun.promise;
      if (!isLeaving()) return await survived(() => submit(given, talking), talking);
      // It is for the session that comes.
      talking.screen.words.set(typeof given === "string" ? given : given.text);
    },
    begin: async () => {
      await begin(talking, open);
      begun.resolve();
      facts = (await import("./facts/keep-facts.ts")).keepFacts(talking);
    },
    close: async () => {
      stopShellLines(talking);
      await ready.built.agent.abort();
      await shellLinesEnded(talking);
      shut();
      facts?.stop();
      await ready.built.close();
    },
    wayBack: () => wayBack(ready),
  };
}

/** What is told before the talk has the screen waits for that; once another one has it, nothing more is shown. */
function tellingOn(screen: Stage, notifier?: Notifier) {
  let concealed: Redaction = asItIs;
  let waiting: string[] | null = [];
  let isShown = false;
  return {
    note: (line: string): void => {
      const text = concealed.redacted(line);
      if (waiting) waiting.push(text);
      else if (isShown) screen.tell(text);
    },
    conceal: (redaction: Redaction): void => {
      concealed = redaction;
    },
    listen: (event: AgentEvent): void => {
      if (!isShown) return;
      notifier?.hear(event);
      screen.hear(isClean(event) ? event : concealed.redacted(event));
      if (event.type === "entry_appended") titled(event.entry, screen);
    },
    /** Gives what waited. */
    open: (): readonly string[] => {
      const lines = waiting ?? [];
      waiting = null;
      isShown = true;
      return lines;
    },
    shut: (): void => {
      isShown = false;
    },
  };
}

/** What the agent itself has made clean, and too often to be looked at twice. */
function isClean({ type }: AgentEvent): boolean {
  return type === "message_update" || type === "tool_execution_update" || type === "entry_appended";
}
