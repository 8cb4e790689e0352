/** Registers the bundled MCP extension: `mcp_find` and `mcp_call`, however many tools the servers have, and `/mcp`. */

import type { Extension, ExtensionContext } from "@pith/agent";
import { callTool } from "./call-tool.ts";
import { findTool, serversOf } from "./find-tool.ts";
import { createLinkParts, type LinkLimits, ServerLink } from "./server-process.ts";
import { type McpPlace, serversHere } from "./servers.ts";
import { statusOf, statusText } from "./subcommands.ts";
import { Trust } from "./trust.ts";
import { type Confirm, trustAsking } from "./trust-question.ts";

export function mcp(place: McpPlace, limits: Partial<LinkLimits> = {}): Extension {
  return (pith) => {
    const { cwd, home, note = () => {} } = place;
    const { servers: named, off, notes } = serversHere(place);
    for (const line of notes) note(line);
    if (named.length === 0) return;
    const fromFolder = named.filter(({ from }) => from === "folder").map(({ name }) => name);
    if (fromFolder.length > 0) note(`this folder names servers of tools: ${fromFolder.join(", ")}`);
    // Who is there, once there is a session.
    let person: Pick<ExtensionContext, "ui" | "hasUI"> | null = null;
    const confirm = (): Confirm | null => {
      const ui = person?.hasUI ? person.ui : null;
      return ui && trustAsking(ui);
    };
    const trust = new Trust({ cwd, home, confirm });
    const parts = createLinkParts({ ...place, workspace: cwd }, { trust, confirm });
    const links = named.map((each) => new ServerLink(each, { ...parts, limits }));
    const servers = serversOf(links, trust);
    pith.registerTool(findTool(servers));
    pith.registerTool(callTool(servers));
    pith.registerCommand("mcp", {
      description: "servers of tools: which there are, how they stand, and what of them is trusted",
      run: async () => statusText(await statusOf(links, { cwd, home, off, findSandbox: parts.findSandbox })),
    });
    pith.on("session_start", (_, context) => {
      person = context;
    });
    pith.on("session_shutdown", () => servers.close());
  };
}
