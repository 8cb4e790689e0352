/** One session on the screen: what is typed and pressed reaches its agent, and what happens in it is shown. */

import type { Wish } from "../../asking/wish.ts";
import type { Exit } from "../../work.ts";
import { openDesk } from "../../working/open-desk.ts";
import { readied, type Telling } from "../../working/readied.ts";
import type { Screen } from "../screen.ts";
import { factsOf } from "../state/facts-of.ts";
import { past } from "./past.ts";
import { pressed } from "./pressed.ts";
import { submit } from "./submit.ts";
import type { Talking } from "./talking.ts";

export interface Talk {
  pressed(key: string): boolean;
  submitted(text: string): Promise<void>;
  /** The session that comes next; null for none. */
  left(): Promise<Wish | null>;
  close(): Promise<void>;
}

export type OpenedTalk =
  | { readonly type: "opened"; readonly talk: Talk }
  | { readonly type: "failed"; readonly exit: Exit };

export async function openTalk(wish: Wish, screen: Screen): Promise<OpenedTalk> {
  const ready = await readied(wish, tellingOn(screen));
  if (ready.type === "mistake") return { type: "failed", exit: { code: 2, message: ready.message } };
  if (ready.type === "failed") return { type: "failed", exit: { code: 1, message: ready.message } };
  const desk = openDesk(ready.built, { ...ready.place, sources: ready.sources, note: (line) => screen.tell(line) });
  const { promise: left, resolve: leave } = Promise.withResolvers<Wish | null>();
  const talking: Talking = { ready, desk, screen, leave };
  screen.change((state) => ({ ...state, facts: factsOf(ready) }));
  await past(talking);
  if (wish.words !== "") void submit(wish.words, talking);
  const talk: Talk = {
    pressed: (key) => pressed(key, talking),
    submitted: (text) => submit(text, talking),
    left: () => left,
    close: async () => {
      await ready.built.agent.abort();
      await ready.built.close();
    },
  };
  return { type: "opened", talk };
}

function tellingOn(screen: Screen): Telling {
  return {
    note: (line) => screen.tell(line),
    conceal: () => {},
    needsModel: false,
    voice: {
      listen: (event) => screen.hear(event),
      opened: () => {},
      answered: async () => null,
      ended: async (end) => end,
      failed: async () => {},
      isUnheard: false,
    },
  };
}
