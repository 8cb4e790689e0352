/** A move in the tree that another program asked for, and what came of it. */

import { moveTold } from "../../commands/walking/move-told.ts";
import type { RpcGives, RpcTakes } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export async function moved(
  { entryId, ...wish }: RpcTakes<"navigate_tree">,
  { ready }: Seat,
): Promise<Outcome<RpcGives<"navigate_tree">>> {
  const { agent } = ready.built;
  if (entryId !== null && !(await agent.session.store.entry(entryId)))
    return failed(`there is no entry ${entryId.slice(0, 60)}; get_entries has their ids`);
  const outcome = await agent.navigateTree(entryId, wish);
  const leafId = agent.session.leaf;
  switch (outcome.type) {
    case "moved": {
      const { editorText } = outcome;
      return done({ cancelled: false, leafId, ...(editorText !== undefined && { editorText }) });
    }
    case "nothing-to-do":
      return done({ cancelled: false, leafId });
    case "cancelled":
      return done({ cancelled: true, leafId });
    case "refused":
    case "failed":
    case "files-in-the-way": {
      const told = moveTold(outcome, agent.session);
      return failed(told.type === "failed" ? told.message : "nobody has moved");
    }
  }
}
