/** A session that is to be written, moved or thrown away. What lies elsewhere and does not begin as one is somebody's own file, and stays as it is. */

import { sep } from "node:path";
import { openStore, sessionsFolder } from "@pith/context/node";
import { mistake } from "../../../asking/mistake.ts";
import type { NamedSession } from "./named-session.ts";

export async function sessionToWrite(found: NamedSession, home: string): Promise<NamedSession> {
  // What lies among the sessions is one, however damaged it is.
  if (found.type === "mistake" || found.path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`)) return found;
  const opened = await openStore(found.path, { as: "follower" });
  // Why it cannot be opened is said by whoever works on it.
  if (opened.type !== "opened") return found;
  const { damage } = opened.store;
  await opened.store.close();
  const isStrange = damage.some(({ kind }) => kind === "no-header");
  return isStrange ? mistake(`${found.path} is no session, so it stays as it is`) : found;
}
