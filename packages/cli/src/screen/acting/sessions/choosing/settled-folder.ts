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

/** The path of the session then; null where somebody thought better of it. */
export async function settledFolder(item: SessionItem, { screen, cwd, home }: FolderPlace): Promise<string | null> {
  if (item.cwd === "" || item.cwd === cwd) return item.path;
  const isThere = await isFolder(item.cwd);
  const folder = folderTold(item.cwd, homedir());
  const title = isThere ? `This session belongs to ${folder}.` : `The folder of this session is gone: ${folder}`;
  const options = [...(isThere ? [goThere] : []), stayHere, bringHere];
  switch (await screen.ask(choice({ title, options }), { where: "inline" })) {
    case "there":
      process.chdir(item.cwd);
      return item.path;
    case "here":
      return item.path;
    case "bring":
      return await brought(item, { screen, cwd, home });
    default:
      return null;
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

async function brought({ path }: SessionItem, { screen, cwd, home }: FolderPlace): Promise<string | null> {
  const outcome = await rebindSession(path, cwd, { env: { PITH_HOME: home } });
  if (outcome.type === "rebound") return outcome.path;
  const why =
    outcome.type === "refused"
      ? refusalNotes[outcome.why]
      : outcome.type === "leaf-moved"
        ? "another process writes this session; end it first"
        : whyNot(outcome);
  screen.tell(why, "bad");
  return null;
}
