/** The project has moved: its session follows. It notes where it belongs now, and goes to that folder with all that is its own. */

import { basename, join, resolve } from "node:path";
import { Session } from "../../session/session.ts";
import type { Appended } from "../../session/store.ts";
import { orUnavailable } from "../files/unavailable.ts";
import type { JsonlStore } from "../jsonl/jsonl-store.ts";
import { openStore } from "../jsonl/open-store.ts";
import { type HomeParts, settled } from "./home.ts";
import { moveSession, tidyAfterMove } from "./placing/move-session.ts";
import { closed, type NotOpened } from "./placing/with-session.ts";
import { madeWorkFolder, workFolder } from "./placing/work-folder.ts";

/** The custom entry that says which directory a session belongs to from there on: `{ cwd }`. */
export const FOLDER = "pith.folder";

export type Rebinding =
  /** `path` is where it lies now. */
  | { readonly type: "rebound"; readonly path: string }
  | { readonly type: "taken"; readonly why: string }
  | Exclude<Appended, { readonly type: "appended" }>
  | NotOpened;

/** Whoever has the session open must close it first, and opens it again at its new path. */
export async function rebindSession(path: string, newCwd: string, parts: HomeParts = {}): Promise<Rebinding> {
  const all = settled(parts);
  const cwd = resolve(newCwd);
  const to = join(workFolder(cwd, all), basename(path));
  if (to === resolve(path)) return { type: "rebound", path: to };
  const opened = await openStore(path, all);
  if (opened.type !== "opened") return opened;
  const moving = await moved(opened.store, { to, cwd, all });
  if (moving.type === "rebound") tidyAfterMove(path, to, all.files);
  return moving;
}

interface Move {
  readonly to: string;
  readonly cwd: string;
  readonly all: Required<HomeParts>;
}

async function moved(store: JsonlStore, { to, cwd, all }: Move): Promise<Rebinding> {
  const { files, ports } = all;
  const act = async (): Promise<Rebinding> => {
    if (files.stat(to)) return { type: "taken", why: `${to} is there already; rename that file, then try again` };
    madeWorkFolder(cwd, all);
    // As it is called: by another name nobody would find it, and it stands on the disk anyway.
    const session = await Session.open(store, ports);
    const appended = await session.append({ type: "custom", customType: FOLDER, data: { cwd } });
    if (appended.type !== "appended") return appended;
    moveSession(store.path, to, files);
    return { type: "rebound", path: to };
  };
  try {
    return await orUnavailable(`${store.path} cannot be moved to ${to}`, act);
  } finally {
    await closed(store);
  }
}
