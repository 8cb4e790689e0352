/** A session to another working folder, with all that is its own. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { refusalNotes } from "@pith/context";
import { rebindSession } from "@pith/context/node";
import { mistake } from "../../../asking/mistake.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { meantToWrite, whyNot } from "../finding/reading.ts";

export async function rebound(call: Call): Promise<Outcome> {
  const {
    arguments: [word = "", said = ""],
    cwd,
    home,
  } = call;
  const folder = resolve(cwd, said);
  // Only a folder that is there: a mistyped one would hide the session where nobody looks.
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return mistake(`${folder} is no folder; name the one the session belongs to`);
  const found = await meantToWrite(word, call);
  if (found.type === "mistake") return found;
  const outcome = await rebindSession(found.path, folder, { env: { PITH_HOME: home } });
  switch (outcome.type) {
    case "rebound":
      return {
        type: "shown",
        text: `the session belongs to ${folder} now, and lies in ${outcome.path}`,
        data: { path: outcome.path, cwd: folder },
      };
    case "refused":
      return { type: "failed", message: refusalNotes[outcome.why] };
    case "leaf-moved":
      return { type: "failed", message: "another process writes this session; end it first" };
    case "taken":
    case "held":
    case "unavailable":
      return { type: "failed", message: whyNot(outcome) };
  }
}
