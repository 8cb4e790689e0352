/** What a fork can begin before: the messages of the user on the branch one stands on. */

import { provenance } from "@pith/context";
import { entrySaid } from "../../prompting/said-words.ts";
import type { RpcGives } from "../line/rpc-commands.ts";
import { done, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export async function forkMessages({ ready }: Seat): Promise<Outcome<RpcGives<"get_fork_messages">>> {
  const branch = await ready.built.agent.session.branch();
  const said = branch.filter((entry) => entry.type === "message" && provenance(entry) === "person");
  return done({ messages: said.map((entry) => ({ entryId: entry.id, text: entrySaid(entry) })) });
}
