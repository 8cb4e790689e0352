/** Whether a call may be run, asked of whoever permits; what may have been done before is never done again unasked. */

import type { ToolCallBlock } from "@pith/context";
import type { Permit } from "../../permissions/permit.ts";
import type { Intent, Tool } from "../../tool.ts";
import { untilStopped } from "../../waiting/until-stopped.ts";
import type { OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";

export async function permitFor({ call, isBegun }: OpenCall, tool: Tool, parts: RunParts): Promise<Permit> {
  const { permits, signal, ports } = parts;
  const isAgain = isBegun && !tool.isIdempotent;
  // RUN8: without anybody to ask, what may have been done is not done again.
  if (!permits) return isAgain ? { type: "refused", why: UNKNOWN } : { type: "permitted" };
  const act = { tool: tool.name, arguments: call.arguments, intent: intentOf(call, tool), ...(isAgain && { isAgain }) };
  const asking = async (): Promise<Permit> => permits.permit(act, { signal });
  const permit = await untilStopped(asking, { signal, ports, otherwise: STOPPED });
  return permit.type === "refused" && isAgain ? { ...permit, why: `${UNKNOWN} (${permit.why})` } : permit;
}

const STOPPED: Permit = { type: "refused", why: "it was not run: the user stopped" };

const UNKNOWN =
  "it was running when the program ended; whether it was done is not known, and it was not run again: look before you repeat it";

/** What a tool cannot say of its own arguments is not said. */
function intentOf({ arguments: args }: ToolCallBlock, tool: Tool): Intent | null {
  try {
    return tool.intent?.(args) ?? null;
  } catch {
    // Then it may be anything, and is permitted as such.
    return null;
  }
}
