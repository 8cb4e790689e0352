/** What `pith mcp list` answers. */

import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { statusOf, statusText } from "../telling/status.ts";
import { linksCalled } from "./servers-called.ts";

export async function listed(call: Call): Promise<Outcome> {
  const called = await linksCalled(call);
  if (called.type === "mistake") return called;
  const servers = await statusOf(called.links, { ...call, off: called.off });
  return { type: "shown", text: statusText(servers), data: { servers } };
}
