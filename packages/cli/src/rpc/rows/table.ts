/** Every command there is, in the order in which they are shown. */

import type { RpcName } from "../line/rpc-commands.ts";
import { choosing } from "./choosing.ts";
import { fitting } from "./fitting.ts";
import type { Rows } from "./row.ts";
import { sessions } from "./sessions.ts";
import { speaking } from "./speaking.ts";
import { telling } from "./telling.ts";
import { walking } from "./walking.ts";
import { working } from "./working.ts";

export const rpcTable: Rows = {
  ...speaking,
  ...telling,
  ...choosing,
  ...fitting,
  ...walking,
  ...sessions,
  ...working,
};

export const rpcNames: readonly RpcName[] = Object.keys(rpcTable) as readonly RpcName[];
