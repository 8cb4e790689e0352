/** The sessions that are kept, a page at a time, and one of them by its whole id. */

import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk/unstable";
import { findSession, listSessions, pithHome } from "@pith/context/node";
import { unknownSession, wrongly } from "../refusals.ts";

export async function listed({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
  const from = cursor ? Number(cursor) : 0;
  if (!Number.isSafeInteger(from) || from < 0) throw wrongly("this cursor is none of ours; ask without one");
  const all = await listSessions({ ...(cwd && { cwd }) });
  // What nobody has said a word in, or nobody can read, is nothing to open.
  const shown = all.filter(({ firstMessage, damaged }) => firstMessage !== "" && damaged === undefined);
  const page = shown.slice(from, from + PAGE);
  return {
    sessions: page.map(({ id, cwd: folder, name, firstMessage, modified }) => ({
      sessionId: id,
      cwd: folder,
      title: name ?? firstMessage.slice(0, TITLE),
      updatedAt: new Date(modified).toISOString(),
    })),
    ...(from + PAGE < shown.length && { nextCursor: `${from + PAGE}` }),
  };
}

const PAGE = 100;
const TITLE = 80;

/** Its file. What comes from an editor is an id and never a path. */
export async function pathOf(sessionId: string): Promise<string> {
  const found = await findSession(sessionId, { env: { PITH_HOME: pithHome() } });
  if (found.type !== "found" || found.id !== sessionId) throw unknownSession(sessionId);
  return found.path;
}
