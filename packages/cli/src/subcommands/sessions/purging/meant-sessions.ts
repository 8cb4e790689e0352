/** The sessions to be looked through: those that are named, or all, also those that lie in the trash. */

import { listSessions, listTrash } from "@pith/context/node";
import { type Mistake, mistake } from "../../../asking/mistake.ts";
import type { Call } from "../../subcommand.ts";
import { type Failed, meantToWrite, withId } from "../finding/reading.ts";

export interface MeantSession {
  readonly path: string;
  readonly id: string;
}

export type MeantSessions = { readonly type: "meant"; readonly sessions: readonly MeantSession[] } | Mistake | Failed;

export async function meantSessions(call: Call): Promise<MeantSessions> {
  if (call.flags.all === true) {
    const env = { PITH_HOME: call.home };
    const all = [...(await listSessions({ env })), ...(await listTrash({ env }))];
    return { type: "meant", sessions: all.map(({ path, id }) => ({ path, id })) };
  }
  if (call.arguments.length === 0) return mistake("say which sessions: pith sessions purge last, or --all");
  const sessions: MeantSession[] = [];
  for (const word of call.arguments) {
    const found = await withId(await meantToWrite(word, call));
    if (found.type !== "found") return found;
    sessions.push({ path: found.path, id: found.id });
  }
  return { type: "meant", sessions };
}
