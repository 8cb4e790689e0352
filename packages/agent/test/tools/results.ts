/** Builds session entries from tool results. */

import type { Entry } from "@pith/context";
import type { ToolOutput } from "../../src/tool.ts";

export function resultEntry(toolName: string, { content, isError = false, details }: Partial<ToolOutput>): Entry {
  const message = { role: "toolResult", toolCallId: "c1", toolName, content, isError, details, timestamp: 0 };
  return { type: "message", id: "e", parentId: null, timestamp: "", message } as Entry;
}
