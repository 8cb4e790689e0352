/** Where a path of a call must lead: to what was permitted, and nowhere else. */

import type { ToolCall } from "../tool.ts";
import type { Held } from "../workspace.ts";

/** Without anybody who permits, wherever it leads. The path is absolute, as the intent of the call has it. */
export function heldAt(path: string, { leave }: Pick<ToolCall, "leave">): Held {
  return leave ? { real: leave.reached.get(path) ?? path } : {};
}
