/** Lists all commands of RPC mode. */

import type { RpcCommandName } from "@pith/client";
import type { RpcCommandDefinitions } from "../rpc-context.ts";
import { compactionCommands } from "./compaction.ts";
import { modelCommands } from "./model.ts";
import { promptCommands } from "./prompt.ts";
import { sessionCommands } from "./sessions.ts";
import { shellCommands } from "./shell.ts";
import { stateCommands } from "./state.ts";
import { treeCommands } from "./tree.ts";

export const rpcTable: RpcCommandDefinitions = {
  ...promptCommands,
  ...stateCommands,
  ...modelCommands,
  ...compactionCommands,
  ...treeCommands,
  ...sessionCommands,
  ...shellCommands,
};

export const rpcNames: readonly RpcCommandName[] = Object.keys(rpcTable) as readonly RpcCommandName[];
