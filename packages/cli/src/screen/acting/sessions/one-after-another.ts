/** One session after another on the same screen: the next is open before the one before it is closed, and where it cannot be opened, one stays. */

import type { Wish } from "../../../asking/wish.ts";
import type { Exit } from "../../../work.ts";
import type { Notifier } from "../../notifying/notifier.ts";
import type { Stage } from "../../stage.ts";
import { openTalk, type Talk } from "../talk.ts";

export interface Showing {
  readonly screen: Stage;
  readonly notifier: Notifier | undefined;
  /** Told of each that gets the screen. */
  readonly shown: (talk: Talk) => void;
}

export async function oneAfterAnother(first: Wish | null, { screen, notifier, shown }: Showing): Promise<Exit> {
  let talk: Talk | null = null;
  let folder = process.cwd();
  for (let next = first; next; ) {
    const opened = await openTalk(next, screen, notifier);
    if (opened.type === "failed" && !talk) return opened.exit;
    if (opened.type === "failed") stay(opened.exit, { screen, folder });
    else {
      await talk?.close();
      talk = opened.talk;
      folder = process.cwd();
      shown(talk);
      await talk.begin();
    }
    next = (await talk?.left()) ?? null;
  }
  return farewell(talk);
}

/** Also in the folder, if one was on the way to another. */
function stay({ message = "" }: Exit, { screen, folder }: { readonly screen: Stage; readonly folder: string }): void {
  screen.tell(`one stays in this session: ${message}`, "bad");
  if (process.cwd() !== folder) process.chdir(folder);
}

function farewell(talk: Talk | null): Exit {
  const message = talk?.wayBack() ?? null;
  return message === null ? { code: 0 } : { code: 0, message };
}
