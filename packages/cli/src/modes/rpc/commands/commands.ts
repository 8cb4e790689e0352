/** Lists all RPC commands, in the order in which they are shown. */

import type { RpcCommandName } from "@pith/client";
import type { Rows } from "../rpc-context.ts";
import { fitting } from "./compaction.ts";
import { choosing } from "./model.ts";
import { speaking } from "./prompt.ts";
import { sessions } from "./sessions.ts";
import { working } from "./shell.ts";
import { telling } from "./state.ts";
import { walking } from "./tree.ts";

export const rpcTable: Rows = {
  ...speaking,
  ...telling,
  ...choosing,
  ...fitting,
  ...walking,
  ...sessions,
  ...working,
};

export const rpcNames: readonly RpcCommandName[] = Object.keys(rpcTable) as readonly RpcCommandName[];
