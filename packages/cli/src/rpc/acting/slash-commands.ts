/** All that can be run with a slash here. */

import { commands } from "../../commands/commands.ts";
import type { RpcSlashCommand } from "../line/rpc-data.ts";
import type { Seat } from "../serving/seat.ts";

export async function slashCommands({ desk, ready }: Seat): Promise<readonly RpcSlashCommand[]> {
  const own = commands.map(({ name, says }) => ({ name, description: says, source: "pith" as const }));
  const extended = ready.place.extensions?.commands ?? [];
  const theirs = extended.map(({ name, description }) => ({ name, description, source: "extension" as const }));
  const named = (await desk.templates?.list()) ?? [];
  const said = named.map(({ name, says }) => ({
    name,
    description: says,
    source: name.startsWith("skill:") ? ("skill" as const) : ("prompt" as const),
  }));
  return [...own, ...theirs, ...said];
}
