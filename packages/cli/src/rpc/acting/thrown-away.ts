/** A session into the trash, as `pith sessions rm` does it. */

import { resolve } from "node:path";
import { namedSession } from "../../subcommands/sessions/finding/named-session.ts";
import { sessionToWrite } from "../../subcommands/sessions/finding/session-to-write.ts";
import { intoTrash } from "../../subcommands/sessions/trashing/trashed.ts";
import type { RpcGives, RpcTakes } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export async function thrownAway(
  { sessionPath, sessionId }: RpcTakes<"delete_session">,
  { desk }: Seat,
): Promise<Outcome<RpcGives<"delete_session">>> {
  if ((sessionPath === undefined) === (sessionId === undefined))
    return failed('delete_session takes either "sessionPath" or "sessionId"');
  const found = await sessionToWrite(await namedSession(sessionPath ?? sessionId ?? "", desk), desk.home);
  if (found.type === "mistake") return failed(found.message);
  if (desk.sessionPath !== null && resolve(found.path) === resolve(desk.sessionPath))
    return failed("this session is open here; go to another one first, with new_session or switch_session");
  const gone = await intoTrash(found.path, { home: desk.home, by: "rm" });
  return gone.type === "failed" ? gone : done({ id: gone.id, path: gone.path, folder: gone.folder });
}
