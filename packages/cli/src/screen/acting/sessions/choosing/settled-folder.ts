/** Where to work with a session of another folder: there, or here. A folder that is gone never keeps anybody from a session. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { refusalNotes } from "@pith/context";
import { rebindSession, type SessionItem } from "@pith/context/node";
import { whyNot } from "../../../../subcommands/sessions/finding/reading.ts";
import { choice, type Option } from "../../../panels/choice.ts";
import { folderTold } from "../../../panels/sessions/wording.ts";
import type { Stage } from "../../../stage.ts";

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
