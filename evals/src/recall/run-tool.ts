/** Runs a tool outside of a session, and returns the text of its result. */

import type { Tool } from "@pith/agent";

export async function runTool(tool: Tool, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, isError } = await tool.run({
    id: "call",
    arguments: args,
    signal: AbortSignal.timeout(600_000),
    maxOutputBytes: 50 * 1024,
    update: () => {},
  });
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  if (isError) throw new Error(text);
  return text;
}
