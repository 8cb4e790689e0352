/** Servers of tools that an editor brings along, as Pith names them. Pure. */

import type { McpServer as GivenServer } from "@agentclientprotocol/sdk/unstable";
import { type Mistake, mistake } from "../../asking/mistake.ts";
import type { McpServer, McpServers } from "../../mcp/mcp-servers.ts";

export type GivenServers = { readonly type: "servers"; readonly servers: McpServers } | Mistake;

export function mcpGiven(given: readonly GivenServer[] = []): GivenServers {
  const servers: Record<string, McpServer> = {};
  for (const server of given) {
    const { name } = server;
    if (Object.hasOwn(servers, name)) return mistake(`two servers are named "${name}"; give each a name of its own`);
    const found = serverOf(server);
    if (found === null)
      return mistake(`server "${name}" speaks neither over stdio nor over HTTP; Pith knows only these`);
    Object.defineProperty(servers, name, { value: found, enumerable: true });
  }
  return { type: "servers", servers };
}

function serverOf(server: GivenServer): McpServer | null {
  if (!("type" in server)) return { command: server.command, args: server.args, env: pairs(server.env) };
  return server.type === "http" ? { url: server.url, headers: pairs(server.headers) } : null;
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}
